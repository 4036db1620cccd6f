import type { Pattern } from '../../specs/expectation.ts'
import type { EncodedValue } from '../../specs/observation.ts'
import { isArray, isObject, isTruncated, numberOf, own, plainEntries, tagOf } from './encoded.ts'
import { pairAll } from './pairing.ts'

/** Collections whose order is no part of their value. */
const UNORDERED: Readonly<Record<string, string>> = { set: 'values', map: 'entries' }

/**
 * Whether two encoded values are the same: by structure, key order aside, and the elements of sets and maps in any
 * order. What a cap cut off is never equal to anything, itself included.
 * @param errorsInFull false: fields of an error that `expected` does not name are not looked at.
 */
export function sameEncoded(expected: EncodedValue, observed: EncodedValue, errorsInFull: boolean): boolean {
  if (isArray(expected)) {
    return (
      isArray(observed) &&
      expected.length === observed.length &&
      expected.every((element, index) => sameEncoded(element, observed[index] as EncodedValue, errorsInFull))
    )
  }
  if (!isObject(expected)) return expected === observed
  if (!isObject(observed)) return false
  const tag = tagOf(expected)
  if (tag !== tagOf(observed) || isOpaque(expected, tag)) return false
  const list = tag === undefined ? undefined : UNORDERED[tag]
  if (list !== undefined) return sameUnordered(own(expected, list), own(observed, list), errorsInFull)
  const keys = Object.keys(expected)
  if ((tag !== 'error' || errorsInFull) && keys.length !== Object.keys(observed).length) return false
  return keys.every((key) => {
    const element = own(observed, key)
    return element !== undefined && sameEncoded(own(expected, key) as EncodedValue, element, errorsInFull)
  })
}

/**
 * What the encoder could not look into: two of them are not known to be the same, so they never are. An instance without
 * data of its own keeps it elsewhere (private fields, internal slots), or has none; nobody can tell.
 */
function isOpaque(value: EncodedValue, tag: string | undefined): boolean {
  switch (tag) {
    case 'truncated':
    case 'promise':
    case 'proxy':
    case 'accessor':
      return true
    case 'instance': {
      const props = isObject(value) ? own(value, 'props') : undefined
      return props === undefined || (isObject(props) && Object.keys(props).length === 0)
    }
    default:
      return false
  }
}

function sameUnordered(expected: unknown, observed: unknown, errorsInFull: boolean): boolean {
  if (!isArray(expected) || !isArray(observed) || expected.length !== observed.length) return false
  const same = (a: EncodedValue, b: EncodedValue) => sameEncoded(a, b, errorsInFull)
  // Only where fields of errors may be left out, one element can be the same as two different ones.
  if (!errorsInFull && expected.some(holdsError)) return pairAll(expected, observed, same)
  const keys = keysOf(expected)
  const others = keysOf(observed)
  return keys !== undefined && others !== undefined && keys.every((key, index) => key === others[index])
}

/** A text that two encoded values share if and only if they are the same; undefined where nothing is the same as it. */
function keyOf(value: EncodedValue): string | undefined {
  if (isArray(value)) {
    const keys = value.map(keyOf)
    return keys.includes(undefined) ? undefined : `[${keys.join()}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const tag = tagOf(value)
  if (isOpaque(value, tag)) return undefined
  const list = tag === undefined ? undefined : UNORDERED[tag]
  if (list !== undefined) {
    const elements = own(value, list)
    const keys = isArray(elements) ? keysOf(elements) : undefined
    return keys === undefined ? undefined : `${tag}(${keys.join()})`
  }
  const fields = Object.keys(value)
    .sort()
    .map((key) => [JSON.stringify(key), keyOf(own(value, key) as EncodedValue)] as const)
  return fields.some(([, key]) => key === undefined)
    ? undefined
    : `{${fields.map((field) => field.join(':')).join()}}`
}

function keysOf(elements: readonly EncodedValue[]): readonly string[] | undefined {
  const keys = elements.map(keyOf)
  return keys.every((key) => key !== undefined) ? keys.sort() : undefined
}

function holdsError(value: EncodedValue): boolean {
  if (isArray(value)) return value.some(holdsError)
  if (!isObject(value)) return false
  return tagOf(value) === 'error' || Object.values(value).some((inner) => holdsError(inner))
}

/**
 * Whether an encoded value is exactly this JSON. Only plain data can be: no instance, error or map equals an object.
 * `0` equals `-0`, since no request tells them apart without saying so; `$value` does.
 */
export function isPlainly(expected: Pattern, observed: EncodedValue): boolean {
  if (typeof expected === 'number') return numberOf(observed) === expected
  if (isArray(expected)) {
    return (
      isArray(observed) &&
      expected.length === observed.length &&
      expected.every((element, index) => isPlainly(element, observed[index] as EncodedValue))
    )
  }
  if (!isObject(expected)) return expected === observed
  const entries = plainEntries(observed)
  const keys = Object.keys(expected)
  return (
    entries?.size === keys.length &&
    keys.every((key) => {
      const element = entries.get(key)
      return element !== undefined && isPlainly(own(expected, key) as Pattern, element)
    })
  )
}

/** The value as the JSON it stands for, or undefined when it is not plain JSON (or was cut off). */
export function asPlainJson(value: EncodedValue): Pattern | undefined {
  if (isTruncated(value)) return undefined
  if (isArray(value)) {
    const elements = value.map((element) => asPlainJson(element))
    return elements.includes(undefined) ? undefined : (elements as Pattern[])
  }
  if (!isObject(value)) return value
  if (tagOf(value) === 'number') return own(value, 'value') === '-0' ? 0 : undefined
  const entries = plainEntries(value)
  if (entries === undefined) return undefined
  const plain = [...entries].map(([key, element]) => [key, asPlainJson(element)] as const)
  if (plain.some(([, element]) => element === undefined)) return undefined
  // fromEntries defines properties, so a key __proto__ stays a key.
  return Object.fromEntries(plain) as Pattern
}
