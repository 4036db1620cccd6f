import { z } from 'zod'
import { jsonSchema, type Json } from './json.ts'

/**
 * What a row must show, as data that a pure matcher compares with the observation. See `specs/expectation.md`.
 *
 * A pattern is plain JSON (deep equality) with operators: an object with exactly one key that begins with `$`.
 */
export type Pattern = Json

export const patternSchema: z.ZodType<Pattern> = jsonSchema()

/** The operators and what each takes. The matcher and the format checker both read this table. */
export const OPERATORS = {
  $literal: 'any JSON, compared as it is: for data whose keys begin with $',
  $value: 'an encoded value (with $t), compared as it is: undefined, NaN, bigint, dates, maps, …',
  $any: 'a list of patterns, one of which matches',
  $all: 'a list of patterns, all of which match',
  $not: 'a pattern that does not match',
  $like: 'an object: these keys match, others may be there; also on instances and errors',
  $matches: 'a regular expression (RE2: linear time), found in a string',
  $contains: 'a substring of a string, or a pattern that some element matches',
  $unordered: 'a list of patterns that match the elements in any order, one each',
  $type: "'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | any tag of an encoded value",
  $length: 'a pattern for the length of a string, array, bytes, map or set',
  $gt: 'a number',
  $gte: 'a number',
  $lt: 'a number',
  $lte: 'a number',
  $float: 'a number: the float of this value, and no int',
  $near: '[number, tolerance]',
  $error:
    '{name?, message?, code?}: patterns; what is not named is not looked at; a name may be matched by its class chain',
  $entries: 'for a map: a list of [key pattern, value pattern] in order',
  $schema: 'a JSON Schema (2020-12) for a value that is plain JSON',
  $absent: 'true: as a value in $like, the key is not there',
  $anything: 'true: any value at all, but one must be there',
} as const
export type Operator = keyof typeof OPERATORS

const exitsSchema = z.strictObject({
  code: patternSchema.optional(),
  signal: patternSchema.optional(),
  stdout: patternSchema.optional(),
  stderr: patternSchema.optional(),
  /** By observed path: a pattern for its content as text, or `{$absent: true}`, or `{$directory: pattern of names}`. */
  files: z.record(z.string(), patternSchema).optional(),
})

export type Expectation =
  | { readonly returns: Pattern; readonly steps?: Pattern }
  | { readonly throws: Pattern; readonly steps?: Pattern }
  | { readonly exits: z.infer<typeof exitsSchema>; readonly steps?: Pattern }
  | { readonly outcome: 'timeout' | 'crashed' | 'limit' | 'unreachable'; readonly steps?: Pattern }
  | { readonly steps: Pattern }
  | { readonly any: readonly Expectation[] }
  | { readonly all: readonly Expectation[] }
  | { readonly not: Expectation }
  | { readonly asBase: true }

const steps = { steps: patternSchema.optional().describe('a pattern for [{name, value}, …]') }

/** `steps` is matched against `[{name, value}, …]`. */
export const expectationSchema = z
  .lazy(
    (): z.ZodType<Expectation> =>
      z.union([
        z.strictObject({ returns: patternSchema, ...steps }),
        z.strictObject({ throws: patternSchema, ...steps }),
        z.strictObject({ exits: exitsSchema, ...steps }),
        z.strictObject({ outcome: z.enum(['timeout', 'crashed', 'limit', 'unreachable']), ...steps }),
        z.strictObject({ steps: patternSchema }),
        z.strictObject({ any: z.array(expectationSchema).min(1) }),
        z.strictObject({ all: z.array(expectationSchema).min(1) }),
        z.strictObject({ not: expectationSchema }),
        z.strictObject({ asBase: z.literal(true) }),
      ]) as z.ZodType<Expectation>,
  )
  .meta({ id: 'expectation' })
