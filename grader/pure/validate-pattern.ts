import type { Expectation, Operator, Pattern } from '../../specs/expectation.ts'
import { VALUE_TAGS } from '../../specs/observation.ts'
import { isArray, isObject, own, render } from './encoded.ts'
import { compileSchema } from './json-schema.ts'
import { isOperator } from './operator.ts'
import { linearRegex } from './regex.ts'

/** A mistake in an expectation: where (a JSON pointer from the expectation) and what. */
export interface PatternProblem {
  readonly path: string
  readonly problem: string
}

/** Every mistake in the patterns of an expectation. A check set with one is refused before anything runs. */
export function validateExpectation(expectation: Expectation, path = ''): readonly PatternProblem[] {
  if ('any' in expectation) {
    return expectation.any.flatMap((one, index) => validateExpectation(one, `${path}/any/${index}`))
  }
  if ('all' in expectation) {
    return expectation.all.flatMap((one, index) => validateExpectation(one, `${path}/all/${index}`))
  }
  if ('not' in expectation) return validateExpectation(expectation.not, `${path}/not`)
  if ('asBase' in expectation) return []
  const steps = expectation.steps === undefined ? [] : validatePattern(expectation.steps, `${path}/steps`)
  if ('returns' in expectation) return [...validatePattern(expectation.returns, `${path}/returns`), ...steps]
  if ('throws' in expectation) return [...validatePattern(expectation.throws, `${path}/throws`), ...steps]
  if (!('exits' in expectation)) return steps
  const { files = {}, ...streams } = expectation.exits
  return [
    ...Object.entries(streams).flatMap(([key, pattern]) =>
      pattern === undefined ? [] : validatePattern(pattern, `${path}/exits/${key}`),
    ),
    ...Object.entries(files).flatMap(([key, pattern]) => {
      const names = isObject(pattern) ? own(pattern, '$directory') : undefined
      return validatePattern(names ?? pattern, `${path}/exits/files/${escaped(key)}`)
    }),
    ...steps,
  ]
}

/** Every mistake in one pattern: unknown operators, operands of the wrong type, regular expressions that are none. */
export function validatePattern(pattern: Pattern, path = ''): readonly PatternProblem[] {
  if (isArray(pattern)) {
    return pattern.flatMap((element, index) => validatePattern(element, `${path}/${index}`))
  }
  if (!isObject(pattern)) return []
  const keys = Object.keys(pattern)
  const operators = keys.filter((key) => key.startsWith('$'))
  const name = keys.length === 1 ? operators[0] : undefined
  if (name !== undefined) {
    const operand = own(pattern, name) as Pattern
    const here = `${path}/${escaped(name)}`
    if (!isOperator(name)) return [{ path: here, problem: unknown(name) }]
    return OPERANDS[name](operand).map((found) =>
      typeof found === 'string' ? { path: here, problem: found } : { ...found, path: here + found.path },
    )
  }
  const mixed = operators[0]
  if (mixed !== undefined) {
    const hint =
      mixed === '$t'
        ? unknown('$t')
        : 'an operator stands alone in its object; data goes into {"$literal": …}'
    return [{ path: `${path}/${escaped(mixed)}`, problem: hint }]
  }
  return keys.flatMap((key) => validatePattern(own(pattern, key) as Pattern, `${path}/${escaped(key)}`))
}

function unknown(name: string): string {
  return name === '$t'
    ? 'an encoded value goes into {"$value": {"$t": …}}'
    : `unknown operator ${name}; data whose keys begin with $ goes into {"$literal": …}`
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}

type Found = string | PatternProblem
type OperandRule = (operand: Pattern) => readonly Found[]

const TYPES: readonly unknown[] = [
  'null',
  'boolean',
  'number',
  'string',
  'array',
  'object',
  ...Object.keys(VALUE_TAGS),
]

const anyJson: OperandRule = () => []
const onePattern: OperandRule = (operand) => validatePattern(operand)
const listOfPatterns: OperandRule = (operand) =>
  isArray(operand) ? validatePattern(operand) : [`expected a list of patterns, found ${render(operand)}`]
const someOfPatterns: OperandRule = (operand) =>
  isArray(operand) && operand.length === 0 ? ['expected at least one pattern'] : listOfPatterns(operand)
const aNumber: OperandRule = (operand) =>
  typeof operand === 'number' ? [] : [`expected a number, found ${render(operand)}`]
const justTrue: OperandRule = (operand) =>
  operand === true ? [] : [`expected true, found ${render(operand)}`]

const OPERANDS: Readonly<Record<Operator, OperandRule>> = {
  $literal: anyJson,
  $value: anyJson,
  $any: someOfPatterns,
  $all: someOfPatterns,
  $not: onePattern,
  $like: (operand) => {
    if (!isObject(operand)) return [`expected an object of patterns, found ${render(operand)}`]
    return Object.keys(operand).flatMap((key) =>
      validatePattern(own(operand, key) as Pattern, `/${escaped(key)}`),
    )
  },
  $matches: (operand) => {
    if (typeof operand !== 'string') return [`expected a regular expression, found ${render(operand)}`]
    return reasonOf('a regular expression of RE2', () => linearRegex(operand))
  },
  $contains: onePattern,
  $unordered: listOfPatterns,
  $type: (operand) =>
    TYPES.includes(operand) ? [] : [`expected one of ${TYPES.join(', ')}, found ${render(operand)}`],
  $length: onePattern,
  $gt: aNumber,
  $gte: aNumber,
  $lt: aNumber,
  $lte: aNumber,
  $float: aNumber,
  $near: (operand) =>
    isArray(operand) && operand.length === 2 && operand.every((part) => typeof part === 'number')
      ? []
      : [`expected [number, tolerance], found ${render(operand)}`],
  $error: (operand) => {
    if (!isObject(operand)) return [`expected {name?, message?, code?}, found ${render(operand)}`]
    return Object.keys(operand).flatMap((key): readonly Found[] =>
      ['name', 'message', 'code'].includes(key)
        ? validatePattern(own(operand, key) as Pattern, `/${key}`)
        : [`unknown key ${key}: expected name, message or code (others: $like)`],
    )
  },
  $entries: (operand) => {
    const isPair = (entry: Pattern) => isArray(entry) && entry.length === 2
    return isArray(operand) && operand.every(isPair)
      ? validatePattern(operand)
      : [`expected a list of [key pattern, value pattern], found ${render(operand)}`]
  },
  $schema: (operand) => reasonOf('a JSON Schema (2020-12)', () => compileSchema(operand)),
  $absent: justTrue,
  $anything: justTrue,
}

function reasonOf(expected: string, compile: () => unknown): readonly string[] {
  try {
    compile()
    return []
  } catch (error) {
    return [`expected ${expected}: ${error instanceof Error ? error.message : String(error)}`]
  }
}
