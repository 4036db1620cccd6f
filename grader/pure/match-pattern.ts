import type { Operator, Pattern } from '../../specs/expectation.ts'
import { Fault } from '../../specs/fault.ts'
import type { EncodedValue } from '../../specs/observation.ts'
import { isBuiltinError } from './builtin-errors.ts'
import {
  elementsOf,
  fieldsOf,
  isArray,
  isObject,
  isTruncated,
  magnitudeOf,
  numberOf,
  own,
  plainEntries,
  render,
  tagOf,
  type EncodedObject,
} from './encoded.ts'
import { asPlainJson, isPlainly, sameEncoded } from './equal.ts'
import { schemaMismatch } from './json-schema.ts'
import { operatorOf } from './operator.ts'
import { firstUnpaired } from './pairing.ts'
import { linearRegex } from './regex.ts'

/** Why a value does not match, or undefined when it does. */
export type Mismatch = string | undefined

/** A value, or undefined where none is: a key that is not there. */
type Observed = EncodedValue | undefined

/**
 * Compares one observed value with a pattern.
 * @param path where the value stands, for the mismatch.
 * @throws Fault `oracle/pattern` for a pattern that `validatePattern` refuses: no mistake in a pattern may decide.
 */
export function matchPattern(pattern: Pattern, observed: Observed, path: string): Mismatch {
  const operator = operatorOf(pattern)
  if (operator !== undefined) return OPERATIONS[operator.name](operator.operand, observed, path)
  if (observed === undefined) return differs(path, pattern, observed)
  if (typeof pattern === 'number') {
    // 0 matches -0: see isPlainly.
    return numberOf(observed) === pattern ? undefined : differs(path, pattern, observed)
  }
  if (isArray(pattern)) return matchArray(pattern, observed, path)
  if (isObject(pattern)) return matchObject(pattern, observed, path)
  return pattern === observed ? undefined : differs(path, pattern, observed)
}

function differs(path: string, expected: unknown, observed: Observed, word = ''): string {
  return `${path}: expected ${word}${render(expected)}, observed ${render(observed)}`
}

function matchArray(pattern: readonly Pattern[], observed: EncodedValue, path: string): Mismatch {
  if (!isArray(observed)) return differs(path, pattern, observed)
  if (observed.length !== pattern.length) {
    return differs(path, pattern, observed, `${pattern.length} elements (observed ${observed.length}) `)
  }
  return first(pattern, (element, index) => matchPattern(element, observed[index], `${path}[${index}]`))
}

function matchObject(pattern: EncodedObject, observed: EncodedValue, path: string): Mismatch {
  const entries = plainEntries(observed)
  if (entries === undefined) {
    const looksThrough = fieldsOf(observed) !== undefined ? ' (use $like or $error)' : ''
    return `${differs(path, pattern, observed, 'a plain object ')}${looksThrough}`
  }
  const extra = [...entries.keys()].find((key) => !Object.hasOwn(pattern, key))
  return (
    matchFields(pattern, entries, path) ??
    (extra === undefined
      ? undefined
      : `${at(path, extra)}: not expected, observed ${render(entries.get(extra))}`)
  )
}

function matchFields(
  pattern: EncodedObject,
  fields: ReadonlyMap<string, EncodedValue>,
  path: string,
): Mismatch {
  return first(Object.keys(pattern), (key) =>
    matchPattern(own(pattern, key) as Pattern, fields.get(key), at(path, key)),
  )
}

function at(path: string, key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `${path}.${key}` : `${path}[${render(key)}]`
}

function first<T>(items: readonly T[], mismatch: (item: T, index: number) => Mismatch): Mismatch {
  for (const [index, item] of items.entries()) {
    const found = mismatch(item, index)
    if (found !== undefined) return found
  }
  return undefined
}

type Operation = (operand: Pattern, observed: Observed, path: string) => Mismatch

/** The same operation for a value that must be there. */
const present =
  (
    name: Operator,
    operation: (operand: Pattern, observed: EncodedValue, path: string) => Mismatch,
  ): Operation =>
  (operand, observed, path) =>
    observed === undefined ? differs(path, { [name]: operand }, observed) : operation(operand, observed, path)

const compares = (name: Operator, holds: (observed: number, bound: number) => boolean): Operation =>
  present(name, (operand, observed, path) => {
    const value = magnitudeOf(observed)
    return value !== undefined && typeof operand === 'number' && holds(value, operand)
      ? undefined
      : differs(path, { [name]: operand }, observed)
  })

const OPERATIONS: Readonly<Record<Operator, Operation>> = {
  $literal: present('$literal', (operand, observed, path) =>
    isPlainly(operand, observed) ? undefined : differs(path, operand, observed),
  ),
  $value: present('$value', (operand, observed, path) =>
    sameEncoded(operand, observed, false) ? undefined : differs(path, operand, observed),
  ),
  $any: (operand, observed, path) => {
    const found = patterns(operand).map((pattern) => matchPattern(pattern, observed, path))
    return found.includes(undefined) ? undefined : `${path}: none of ${found.length}: ${found.join(' | ')}`
  },
  $all: (operand, observed, path) =>
    first(patterns(operand), (pattern) => matchPattern(pattern, observed, path)),
  $not: (operand, observed, path) => {
    if (isTruncated(observed)) return `${path}: too large to tell that it does not match`
    return matchPattern(operand, observed, path) === undefined
      ? differs(path, operand, observed, 'anything but ')
      : undefined
  },
  $like: present('$like', (operand, observed, path) => {
    const fields = fieldsOf(observed)
    if (fields === undefined || !isObject(operand)) return differs(path, operand, observed, 'an object like ')
    return matchClass(operand, observed, path) ?? matchFields(operand, fields, path)
  }),
  $matches: present('$matches', (operand, observed, path) =>
    typeof observed === 'string' && typeof operand === 'string' && linearRegex(operand).test(observed)
      ? undefined
      : differs(path, operand, observed, 'a match of '),
  ),
  $contains: present('$contains', (operand, observed, path) => {
    const holds =
      typeof observed === 'string'
        ? typeof operand === 'string' && observed.includes(operand)
        : (elementsOf(observed) ?? []).some((element) => matchPattern(operand, element, path) === undefined)
    return holds ? undefined : differs(path, operand, observed, 'something that contains ')
  }),
  $unordered: present('$unordered', (operand, observed, path) => {
    const wanted = patterns(operand)
    const elements = elementsOf(observed)
    if (elements?.length !== wanted.length) return differs(path, wanted, observed, 'in any order ')
    const lost = firstUnpaired(
      wanted,
      elements,
      (pattern, element) => matchPattern(pattern, element, path) === undefined,
    )
    return lost === undefined
      ? undefined
      : differs(path, wanted[lost], observed, 'an element of its own for ')
  }),
  $type: present('$type', (operand, observed, path) =>
    typesOf(observed).includes(operand as string) ? undefined : differs(path, operand, observed, 'type '),
  ),
  $length: present('$length', (operand, observed, path) => {
    const length = lengthOf(observed)
    return length === undefined
      ? differs(path, operand, observed, 'a length of ')
      : matchPattern(operand, length, `${path}.length`)
  }),
  $gt: compares('$gt', (observed, bound) => observed > bound),
  $gte: compares('$gte', (observed, bound) => observed >= bound),
  $lt: compares('$lt', (observed, bound) => observed < bound),
  $lte: compares('$lte', (observed, bound) => observed <= bound),
  $float: present('$float', (operand, observed, path) =>
    isFloat(observed) && magnitudeOf(observed) === operand
      ? undefined
      : differs(path, operand, observed, 'the float '),
  ),
  $near: present('$near', (operand, observed, path) => {
    const value = magnitudeOf(observed)
    const [target, tolerance] = patterns(operand) as readonly number[]
    return value !== undefined && Math.abs(value - (target ?? NaN)) <= (tolerance ?? NaN)
      ? undefined
      : differs(path, operand, observed, 'near ')
  }),
  $error: present('$error', (operand, observed, path) => {
    if (tagOf(observed) !== 'error' || !isObject(operand))
      return differs(path, operand, observed, 'an error ')
    const fields = observed as EncodedObject
    return first(Object.keys(operand), (key) => {
      const pattern = own(operand, key) as Pattern
      return key === 'name'
        ? matchErrorName(pattern, fields, path)
        : matchPattern(pattern, own(fields, key), `${path}.${key}`)
    })
  }),
  $entries: present('$entries', (operand, observed, path) => {
    if (tagOf(observed) !== 'map') return differs(path, operand, observed, 'a map with entries ')
    return matchPattern(operand, own(observed as EncodedObject, 'entries'), `${path}.entries`)
  }),
  $schema: present('$schema', (operand, observed, path) => {
    const plain = asPlainJson(observed)
    if (plain === undefined) return differs(path, 'plain JSON', observed)
    const refused = schemaMismatch(operand, plain)
    return refused === undefined ? undefined : `${path}: schema: ${refused}, observed ${render(observed)}`
  }),
  $absent: (_operand, observed, path) =>
    observed === undefined ? undefined : `${path}: expected nothing, observed ${render(observed)}`,
  $anything: present('$anything', () => undefined),
}

/** A name given as text, or as one of several, may also be that of a class that the error's class extends. */
function matchErrorName(pattern: Pattern, error: EncodedObject, path: string): Mismatch {
  const name = own(error, 'name')
  const operator = operatorOf(pattern)
  if (operator?.name === '$any') {
    const found = patterns(operator.operand).map((one) => matchErrorName(one, error, path))
    return found.includes(undefined) ? undefined : found.join(' | ')
  }
  const classes = own(error, 'classes')
  if (typeof pattern !== 'string') return matchPattern(pattern, name, `${path}.name`)
  if (isArray(classes) && classes.includes(pattern)) return undefined
  return isBuiltinError(pattern, classes)
    ? differs(`${path}.classes`, pattern, classes, 'one to be ')
    : matchPattern(pattern, name, `${path}.name`)
}

/** Where `$like` names a built-in error, its class has to be that, too. */
function matchClass(operand: EncodedObject, observed: EncodedValue, path: string): Mismatch {
  const name = own(operand, 'name')
  if (tagOf(observed) !== 'error' || typeof name !== 'string') return undefined
  const classes = own(observed as EncodedObject, 'classes')
  return isBuiltinError(name, classes) ? matchErrorName(name, observed as EncodedObject, path) : undefined
}

function patterns(operand: Pattern): readonly Pattern[] {
  if (!isArray(operand))
    throw new Fault('oracle/pattern', `expected a list of patterns, found ${render(operand)}`)
  return operand
}

function typesOf(value: EncodedValue): readonly string[] {
  if (value === null) return ['null']
  if (isArray(value)) return ['array']
  const tag = tagOf(value)
  if (tag === 'float') return ['float', 'number']
  return tag !== undefined ? [tag] : isFloat(value) ? ['number', 'float'] : [typeof value]
}

/** A whole Python float, or a number that no int can be. */
function isFloat(value: EncodedValue): boolean {
  return tagOf(value) === 'float' || (typeof value === 'number' && !Number.isInteger(value))
}

function lengthOf(value: EncodedValue): number | undefined {
  if (typeof value === 'string') return value.length
  const elements = elementsOf(value)
  if (elements !== undefined) return elements.length
  const fields = isObject(value) ? value : {}
  const entries = own(fields, 'entries')
  if (tagOf(value) === 'map' && isArray(entries)) return entries.length
  const base64 = own(fields, 'base64')
  if (tagOf(value) !== 'bytes' || typeof base64 !== 'string') return undefined
  return Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
}
