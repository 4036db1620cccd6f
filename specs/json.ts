import { z } from 'zod'

/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Deeper than anything written by hand, and shallow enough for every recursive reader. */
export const MAX_JSON_DEPTH = 200

/** Whether a value is JSON: plain data, no cycle, nothing nested deeper than {@link MAX_JSON_DEPTH}. */
export function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || depth >= MAX_JSON_DEPTH) return false
  if (Array.isArray(value)) return value.every((element) => isJson(element, depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every((element) => isJson(element, depth + 1))
}

/**
 * JSON, handed through as it is. Not `z.json()`: that rebuilds every object without its key `__proto__`, and a check
 * of prototype pollution is about just that key.
 */
export function jsonSchema<T extends Json = Json>(): z.ZodType<T> {
  return z.unknown().refine((value) => isJson(value), 'expected JSON') as unknown as z.ZodType<T>
}
