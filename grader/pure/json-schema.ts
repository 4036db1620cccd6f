import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import { canonicalJson } from '../../specs/digest.ts'
import { linearRegex } from './regex.ts'

// Regular expressions inside schemas are RE2's too: a schema's `pattern` meets strings of the product.
const regExp = Object.assign((pattern: string) => linearRegex(pattern), { code: 'linearRegex' })
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, code: { regExp } })
// Its own compares each element with each other one, and how many there are is up to the product.
ajv.removeKeyword('uniqueItems')
ajv.addKeyword({
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: (wanted: boolean, items: readonly unknown[]) =>
    !wanted || new Set(items.map(canonicalJson)).size === items.length,
  error: { message: 'must not have two equal items' },
})
const compiled = new WeakMap<object, ValidateFunction>()

const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef']
const MAX_CHARS = 100_000
const MAX_DEPTH = 64

/**
 * A check set may be written by somebody who read a hostile base. References would let a small schema recurse for ever,
 * or branch for hours; without them, the time of a comparison is bounded by the sizes of schema and value.
 * @throws Error with the reason when the schema is none, refers to another, or is too large.
 */
export function compileSchema(schema: unknown): ValidateFunction {
  if (
    typeof schema !== 'boolean' &&
    (typeof schema !== 'object' || schema === null || Array.isArray(schema))
  ) {
    throw new Error('a JSON Schema is an object or a boolean')
  }
  if (typeof schema === 'boolean') return ajv.compile(schema)
  const known = compiled.get(schema)
  if (known !== undefined) return known
  requireBounded(schema, 0)
  const chars = JSON.stringify(schema).length
  if (chars > MAX_CHARS) throw new Error(`it has ${chars} characters; at most ${MAX_CHARS} are taken`)
  const made = ajv.compile(schema as AnySchema)
  compiled.set(schema, made)
  return made
}

/** The first thing of `value` that the schema refuses, or undefined. */
export function schemaMismatch(schema: unknown, value: unknown): string | undefined {
  const validate = compileSchema(schema)
  if (validate(value)) return undefined
  const first = validate.errors?.[0]
  return first === undefined
    ? 'does not fit the schema'
    : `${first.instancePath || '/'} ${first.message ?? ''}`
}

function requireBounded(part: unknown, depth: number): void {
  if (typeof part !== 'object' || part === null) return
  if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} deep`)
  for (const [key, inner] of Object.entries(part)) {
    if (REFERENCES.includes(key)) throw new Error(`${key} is not taken: write out what it refers to`)
    requireBounded(inner, depth + 1)
  }
}
