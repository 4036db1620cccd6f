import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import { linearRegex } from './regex.ts'

// Regular expressions inside schemas are RE2's too: a schema's `pattern` meets strings of the product.
const regExp = Object.assign((pattern: string) => linearRegex(pattern), { code: 'linearRegex' })
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false, code: { regExp } })
const compiled = new WeakMap<object, ValidateFunction>()

/** @throws Error with the reason when the schema is none. */
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
