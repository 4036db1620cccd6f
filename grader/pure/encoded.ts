import type { EncodedValue } from '../../specs/observation.ts'

/** Reading encoded values (see `specs/observation.ts`). Only own keys are ever looked at: a value may hold `__proto__`. */
export type EncodedObject = Readonly<Record<string, EncodedValue>>

/** Whether a value is an object: plain, or one of ours with `$t`. */
export function isObject(value: unknown): value is EncodedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArray(value: unknown): value is readonly EncodedValue[] {
  return Array.isArray(value)
}

/** An own property, or undefined. */
export function own(object: EncodedObject, key: string): EncodedValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** The tag of an encoded value that JSON lacks; undefined for plain JSON. */
export function tagOf(value: EncodedValue): string | undefined {
  if (!isObject(value)) return undefined
  const tag = own(value, '$t')
  return typeof tag === 'string' ? tag : undefined
}

/** The properties of a plain object, also of one that was written as entries because it has a key `$t` itself. */
export function plainEntries(value: EncodedValue): ReadonlyMap<string, EncodedValue> | undefined {
  if (!isObject(value)) return undefined
  const tag = tagOf(value)
  if (tag === undefined) return new Map(Object.entries(value))
  return tag === 'object' ? pairs(own(value, 'entries')) : undefined
}

function pairs(entries: EncodedValue | undefined): ReadonlyMap<string, EncodedValue> {
  const map = new Map<string, EncodedValue>()
  for (const entry of isArray(entries) ? entries : []) {
    if (isArray(entry) && typeof entry[0] === 'string' && entry[1] !== undefined) map.set(entry[0], entry[1])
  }
  return map
}

/** What `$like` looks into: a plain object, the own data of an instance, or an error's fields and own data. */
export function fieldsOf(value: EncodedValue): ReadonlyMap<string, EncodedValue> | undefined {
  const plain = plainEntries(value)
  if (plain !== undefined) return plain
  if (!isObject(value)) return undefined
  const props = own(value, 'props')
  const data = props === undefined ? new Map<string, EncodedValue>() : (plainEntries(props) ?? new Map())
  if (tagOf(value) === 'instance') return data
  if (tagOf(value) !== 'error') return undefined
  const fields = new Map(data)
  for (const key of ['name', 'message', 'code', 'cause', 'errors']) {
    const field = own(value, key)
    if (field !== undefined) fields.set(key, field)
  }
  return fields
}

/** The elements of an array, tuple or set. */
export function elementsOf(value: EncodedValue): readonly EncodedValue[] | undefined {
  if (isArray(value)) return value
  const tag = tagOf(value)
  if (tag !== 'set' && tag !== 'tuple') return undefined
  const values = own(value as EncodedObject, 'values')
  return isArray(values) ? values : []
}

/** The number that a value stands for: JSON's own, or an encoded NaN, ±Infinity or -0. */
export function numberOf(value: EncodedValue): number | undefined {
  if (typeof value === 'number') return value
  return tagOf(value) === 'number' ? Number(own(value as EncodedObject, 'value')) : undefined
}

/** The number that a value is compared by: also a whole Python float's, which is no plain number. */
export function magnitudeOf(value: EncodedValue): number | undefined {
  return tagOf(value) === 'float' ? Number(own(value as EncodedObject, 'value')) : numberOf(value)
}

/** Whether a part of the value was cut off by a cap, so that nothing can be said about the whole of it. */
export function isTruncated(value: EncodedValue | undefined): boolean {
  if (isArray(value)) return value.some((element) => isTruncated(element))
  if (!isObject(value)) return false
  return tagOf(value) === 'truncated' || Object.values(value).some((element) => isTruncated(element))
}

const RENDER_CHARS = 200

/** A value for people: JSON, cut to a readable length. */
export function render(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length <= RENDER_CHARS
    ? text
    : `${text.slice(0, RENDER_CHARS).toWellFormed()}… (${text.length} characters)`
}
