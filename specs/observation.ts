import { z } from 'zod'
import { jsonSchema, type Json } from './json.ts'

/**
 * What the product did, as data. See `specs/observation.md`.
 *
 * A value is JSON, and everything that JSON lacks is an object with the own key `$t`. A plain object of the product
 * that has a key `$t` itself is written as `{$t: 'object', entries}`, so nothing plain can look like one of ours.
 */
export type EncodedValue = Json

export const encodedValueSchema: z.ZodType<EncodedValue> = jsonSchema()

/** Tags of encoded values (`$t`), and what else their object holds. */
export const VALUE_TAGS = {
  undefined: [],
  hole: [],
  accessor: [], // an own property with a getter, which is not called
  number: ['value'], // 'NaN' | 'Infinity' | '-Infinity' | '-0'
  float: ['value'], // a whole Python float, as Python writes it: '2.0', '1e+16', '-0.0'
  string: ['utf16'], // a string with a lone surrogate, as its code units in hex
  bigint: ['value'], // decimal digits; also a Python int beyond 2^53
  symbol: ['description'],
  function: ['name'],
  date: ['iso'], // null when invalid
  regexp: ['source', 'flags'],
  bytes: ['of', 'base64'], // of: Buffer, Uint8Array, bytes, …
  map: ['entries'],
  set: ['values'],
  tuple: ['values'],
  error: ['name', 'message', 'classes'], // classes: of its class chain, its own first; also: code, cause, errors, props
  object: ['entries'], // a plain object with a key `$t`
  instance: ['class', 'props'], // an object of a class, reduced to its own data
  promise: [],
  proxy: [],
  ref: ['path'], // seen before on the way to here (a cycle), as a JSON pointer
  truncated: ['why'], // depth, size or count cap reached
} as const

const stepSchema = z.strictObject({ name: z.string(), value: encodedValueSchema })
/** `text` where the bytes are UTF-8, else `base64`. */
const streamSchema = z.strictObject({ text: z.string().optional(), base64: z.string().optional() })
export type StreamText = z.infer<typeof streamSchema>

const fileSchema = z.union([
  z.strictObject({ kind: z.literal('absent') }),
  z.strictObject({
    kind: z.literal('file'),
    content: streamSchema,
    mode: z.number().int().describe('permission bits, as a decimal number'),
  }),
  z.strictObject({ kind: z.literal('directory'), entries: z.array(z.string()) }),
  z.strictObject({ kind: z.literal('link'), target: z.string() }),
  z.strictObject({ kind: z.literal('other') }),
])

const common = {
  /** What `observe(name, value)` reported before the end, in order. */
  steps: z.array(stepSchema),
}

/** One run of one row. Timings are not part of it: equal behaviour is an equal observation. */
export const observationSchema = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('returned'), value: encodedValueSchema, ...common }),
  z.strictObject({ outcome: z.literal('threw'), error: encodedValueSchema, ...common }),
  z.strictObject({
    outcome: z.literal('exited'),
    code: z.number().int().nullable().describe('exit code; null when a signal ended it'),
    signal: z.string().nullable().describe('name of the signal that ended it, e.g. SIGSEGV; null otherwise'),
    stdout: streamSchema,
    stderr: streamSchema,
    files: z.record(z.string(), fileSchema),
    ...common,
  }),
  /** Did not end within the check's time. */
  z.strictObject({ outcome: z.literal('timeout'), ...common }),
  /** The scenario's process ended before the scenario did: uncaught error, exit, signal. */
  z.strictObject({
    outcome: z.literal('crashed'),
    error: encodedValueSchema.optional(),
    code: z.number().int().nullable(),
    signal: z.string().nullable(),
    ...common,
  }),
  /** A limit of the box ended it. */
  z.strictObject({
    outcome: z.literal('limit'),
    limit: z.enum(['memory', 'output', 'disk', 'processes']),
    ...common,
  }),
  /** The scenario could not drive the product at all: module or file missing, server never ready. */
  z.strictObject({ outcome: z.literal('unreachable'), error: encodedValueSchema, ...common }),
  /** It changed what an earlier call in its process had returned. Wins over what it returned itself. */
  z.strictObject({
    outcome: z.literal('rewrote'),
    before: encodedValueSchema,
    after: encodedValueSchema,
    ...common,
  }),
])
export type Observation = z.infer<typeof observationSchema>
