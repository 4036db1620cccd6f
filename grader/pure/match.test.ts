import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Expectation, Pattern } from '../../specs/expectation.ts'
import type { EncodedValue, Observation } from '../../specs/observation.ts'
import { matchObservation } from './match.ts'
import { validateExpectation, validatePattern } from './validate-pattern.ts'

const returned = (value: EncodedValue): Observation => ({ outcome: 'returned', value, steps: [] })
const threw = (error: EncodedValue): Observation => ({ outcome: 'threw', error, steps: [] })
const passes = (pattern: Pattern, value: EncodedValue) =>
  matchObservation({ returns: pattern }, returned(value)).pass

const TYPE_ERROR = {
  $t: 'error',
  name: 'TypeError',
  message: 'x is bad',
  classes: ['TypeError', 'Error'],
  code: 'E_BAD',
  props: { at: 3 },
}
const FLOAT = { $t: 'float', value: '2.0' }
const POINT = { $t: 'instance', class: 'Point', props: { x: 1, y: 2 } }
const MAP = {
  $t: 'map',
  entries: [
    [1, 'a'],
    ['k', { b: 2 }],
  ],
}
const SET = { $t: 'set', values: [1, 2, 3] }
const dollar = { $t: 'object', entries: [['$t', 'error']] }
const polluted = JSON.parse('{"a":1,"__proto__":{"b":1}}') as EncodedValue

describe('a value matches', () => {
  it.each<[string, Pattern, EncodedValue, boolean]>([
    ['an equal number', 1, 1, true],
    ['another number: no', 1, 2, false],
    ['a number in a string: no', 1, '1', false],
    ['a whole float against the int of its value: no', 2, FLOAT, false],
    ['so inside of $literal and $value: no', { $any: [{ $literal: 2 }, { $value: 2 }] }, FLOAT, false],
    ['a whole float that is asked for', { $float: 2 }, FLOAT, true],
    ['an int where a float is asked for: no', { $float: 2 }, 2, false],
    ['another float: no', { $float: 3 }, FLOAT, false],
    ['a float that is not whole', { $all: [1.5, { $float: 1.5 }, { $type: 'float' }] }, 1.5, true],
    ['a float as it is written', { $value: { $t: 'float', value: '2.0' } }, FLOAT, true],
    ['a whole float by its size', { $all: [{ $gt: 1 }, { $lte: 2 }, { $near: [2, 0] }] }, FLOAT, true],
    ['a whole float by its type', { $all: [{ $type: 'float' }, { $type: 'number' }] }, FLOAT, true],
    ['an int by the type of a float: no', { $type: 'float' }, 2, false],
    ['a whole float by a schema: no', { $schema: { type: ['integer', 'number'] } }, FLOAT, false],
    ['0 against -0, which no request tells apart', 0, { $t: 'number', value: '-0' }, true],
    ['-0 asked for by $value against 0: no', { $value: { $t: 'number', value: '-0' } }, 0, false],
    ['NaN by $value', { $value: { $t: 'number', value: 'NaN' } }, { $t: 'number', value: 'NaN' }, true],
    ['null against undefined: no', null, { $t: 'undefined' }, false],
    ['undefined by $value', { $value: { $t: 'undefined' } }, { $t: 'undefined' }, true],
    ['an array, element by element', [1, { a: 'b' }], [1, { a: 'b' }], true],
    ['a longer array: no', [1], [1, 2], false],
    [
      'an array with a hole against undefined: no',
      [{ $value: { $t: 'undefined' } }],
      [{ $t: 'hole' }],
      false,
    ],
    ['an object, keys in any order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['an object with one key more: no', { a: 1 }, { a: 1, b: 2 }, false],
    ['an object with one key less: no', { a: 1, b: 2 }, { a: 1 }, false],
    ['a key __proto__, as data', JSON.parse('{"a":1,"__proto__":{"b":1}}') as Pattern, polluted, true],
    ['an object without the key __proto__ that is there: no', { a: 1 }, polluted, false],
    ['an instance against a plain object: no', { x: 1, y: 2 }, POINT, false],
    ['an error against a plain object that looks like one: no', TYPE_ERROR, TYPE_ERROR, false],
    [
      'a plain object that looks like an error against $error: no',
      { $error: { name: 'error' } },
      dollar,
      false,
    ],
    ['a plain object with a key $t', { $literal: { $t: 'error' } }, dollar, true],
    ['data whose keys begin with $, by $literal', { $literal: { $gt: 1 } }, { $gt: 1 }, true],
    ['$literal against an instance: no', { $literal: { x: 1, y: 2 } }, POINT, false],
    ['one of $any', { $any: [1, 2] }, 2, true],
    ['none of $any: no', { $any: [1, 2] }, 3, false],
    ['all of $all', { $all: [{ $gt: 1 }, { $lt: 3 }] }, 2, true],
    ['not all of $all: no', { $all: [{ $gt: 1 }, { $lt: 3 }] }, 3, false],
    ['$not of what differs', { $not: 1 }, 2, true],
    ['$not of what is equal: no', { $not: 1 }, 1, false],
    [
      '$not where a cap cut the value off: no, it cannot be told',
      { $not: 1 },
      [{ $t: 'truncated', why: 'size' }],
      false,
    ],
    [
      'a truncated value against itself: no',
      { $value: { $t: 'truncated', why: 'size' } },
      { $t: 'truncated', why: 'size' },
      false,
    ],
    ['$like some keys', { $like: { a: 1 } }, { a: 1, b: 2 }, true],
    ['$like through an instance', { $like: { y: 2 } }, POINT, true],
    [
      '$like through an error, into fields and own data',
      { $like: { message: 'x is bad', at: 3 } },
      TYPE_ERROR,
      true,
    ],
    ['$like is exact inside', { $like: { a: { b: 1 } } }, { a: { b: 1, c: 2 } }, false],
    ['$absent in $like', { $like: { b: { $absent: true } } }, { a: 1 }, true],
    ['$absent where it is there: no', { $like: { a: { $absent: true } } }, { a: 1 }, false],
    ['$absent in a plain object', { a: 1, b: { $absent: true } }, { a: 1 }, true],
    [
      '$absent where the value is undefined: no, the key is there',
      { $like: { a: { $absent: true } } },
      { a: { $t: 'undefined' } },
      false,
    ],
    ['$anything where nothing is: no', { $like: { b: { $anything: true } } }, { a: 1 }, false],
    ['$anything', { $anything: true }, { $t: 'undefined' }, true],
    ['$not of a value where nothing is', { $like: { b: { $not: 1 } } }, { a: 1 }, true],
    ['$matches anywhere in a string', { $matches: 'b+' }, 'abbc', true],
    ['$matches with flags', { $matches: '(?i)^ABC$' }, 'abc', true],
    ['$matches on a number: no', { $matches: '1' }, 1, false],
    ['$contains in a string', { $contains: 'bc' }, 'abcd', true],
    ['$contains in an array', { $contains: { $gt: 2 } }, [1, 2, 3], true],
    ['$contains in a set', { $contains: 3 }, SET, true],
    ['$contains in an object: no', { $contains: 1 }, { a: 1 }, false],
    ['$unordered', { $unordered: [3, 1, 2] }, [1, 2, 3], true],
    ['$unordered, a loose pattern before a strict one', { $unordered: [{ $gt: 0 }, 1] }, [1, 2], true],
    ['$unordered, one element for two patterns: no', { $unordered: [1, 1] }, [1, 2], false],
    ['$unordered over a set', { $unordered: [3, 2, 1] }, SET, true],
    ["$type 'null'", { $type: 'null' }, null, true],
    ["$type 'object' of a plain object with $t", { $type: 'object' }, dollar, true],
    ["$type 'object' of an instance: no", { $type: 'object' }, POINT, false],
    ["$type 'number' of NaN", { $type: 'number' }, { $t: 'number', value: 'NaN' }, true],
    ["$type 'promise'", { $type: 'promise' }, { $t: 'promise' }, true],
    ['$length of a string', { $length: 2 }, 'ab', true],
    ['$length of bytes', { $length: 2 }, { $t: 'bytes', of: 'Buffer', base64: 'aGk=' }, true],
    ['$length of a map', { $length: { $gt: 1 } }, MAP, true],
    ['$length of a number: no', { $length: 1 }, 1, false],
    ['$gt against Infinity', { $gt: 5 }, { $t: 'number', value: 'Infinity' }, true],
    ['$gte against NaN: no', { $gte: 0 }, { $t: 'number', value: 'NaN' }, false],
    ['$lt against a string: no', { $lt: 5 }, '1', false],
    ['$lte', { $lte: 5 }, 5, true],
    ['$near', { $near: [0.3, 1e-9] }, 0.1 + 0.2, true],
    ['$near too far: no', { $near: [1, 0.1] }, 1.2, false],
    [
      '$entries in order',
      {
        $entries: [
          [1, 'a'],
          ['k', { b: { $gt: 1 } }],
        ],
      },
      MAP,
      true,
    ],
    [
      '$entries in another order: no',
      {
        $entries: [
          ['k', { b: 2 }],
          [1, 'a'],
        ],
      },
      MAP,
      false,
    ],
    [
      'a map by $value in another order',
      {
        $value: {
          $t: 'map',
          entries: [
            ['k', { b: 2 }],
            [1, 'a'],
          ],
        },
      },
      MAP,
      true,
    ],
    ['a set by $value in another order', { $value: { $t: 'set', values: [3, 1, 2] } }, SET, true],
    ['a set by $value with another element: no', { $value: { $t: 'set', values: [3, 1, 4] } }, SET, false],
    ['$schema', { $schema: { type: 'array', items: { type: 'integer' }, minItems: 2 } }, [1, 2], true],
    ['$schema refused', { $schema: { type: 'string', pattern: '^a' } }, 'b', false],
    ['$schema on what is no JSON: no', { $schema: true }, { $t: 'undefined' }, false],
  ])('%s', (_name, pattern, value, expected) => {
    expect(validatePattern(pattern).filter(({ path }) => path !== '/$t')).toEqual([])
    expect(passes(pattern, value)).toBe(expected)
  })
})

describe('an error matches', () => {
  it.each<[string, Pattern, boolean]>([
    ['by nothing but being one', { $error: {} }, true],
    ['by its name', { $error: { name: 'TypeError' } }, true],
    ['by the name of a class above it', { $error: { name: 'Error' } }, true],
    ['by one of several names', { $error: { name: { $any: ['RangeError', 'Error'] } } }, true],
    ['not by another name', { $error: { name: 'RangeError' } }, false],
    [
      'not by "any name but its own", whatever stands above it',
      { $error: { name: { $not: 'TypeError' } } },
      false,
    ],
    ['by part of its message, whatever code it has', { $error: { message: { $contains: 'bad' } } }, true],
    ['by its code', { $error: { code: 'E_BAD' } }, true],
    ['not by a code that it has not', { $error: { code: 'E_OTHER' } }, false],
    ['by having no code: no', { $error: { code: { $absent: true } } }, false],
    [
      'by $value, of which only what is named is looked at',
      { $value: { $t: 'error', name: 'TypeError' } },
      true,
    ],
  ])('%s', (_name, pattern, expected) => {
    expect(matchObservation({ throws: pattern }, threw(TYPE_ERROR)).pass).toBe(expected)
  })
})

describe('an error that has the name of a built-in one', () => {
  const called = (name: string, classes: readonly string[]) => ({
    $t: 'error',
    name,
    message: '',
    classes: [...classes],
  })
  const named = (name: string): readonly Pattern[] => [{ $error: { name } }, { $like: { name } }]

  it.each<[string, string, readonly string[], boolean]>([
    ['and is one', 'RangeError', ['RangeError', 'Error'], true],
    ['and is none: no', 'RangeError', ['Error'], false],
    ['and is none in Python: no', 'ValueError', ['Exception', 'BaseException'], false],
    ['and is one in Python', 'ValueError', ['ValueError', 'Exception', 'BaseException'], true],
    ['of the other language', 'TimeoutError', ['DOMException', 'Error'], true],
    ['which the language does not have', 'ConfigError', ['Error'], true],
  ])('%s', (_, name, classes, expected) => {
    for (const pattern of named(name)) expect(passes(pattern, called(name, classes))).toBe(expected)
  })

  it('may have another name, if its class is right: by $error', () => {
    const renamed = called('AbortError', ['RangeError', 'Error'])
    expect(named('RangeError').map((pattern) => passes(pattern, renamed))).toEqual([true, false])
  })

  it('is not looked into where another is asked for', () => {
    const pattern = { $error: { name: { $any: ['TypeError', 'RangeError'] } } }
    expect(passes(pattern, called('RangeError', ['RangeError', 'Error']))).toBe(true)
    expect(passes(pattern, called('RangeError', ['Error']))).toBe(false)
  })
})

describe('an observation matches', () => {
  const exited: Observation = {
    outcome: 'exited',
    code: 0,
    signal: null,
    stdout: { text: 'hello\n' },
    stderr: { base64: '/w==' },
    files: {
      out: { kind: 'file', content: { text: 'x' }, mode: 0o644 },
      dir: { kind: 'directory', entries: ['a', 'b'] },
      none: { kind: 'absent' },
      link: { kind: 'link', target: '/etc/passwd' },
    },
    steps: [{ name: 's', value: 1 }],
  }
  it.each<[string, Expectation, Observation, boolean]>([
    ['a return where a throw is expected: no', { throws: { $error: {} } }, returned(1), false],
    ['the exit code', { exits: { code: 0 } }, exited, true],
    ['another exit code: no', { exits: { code: 1 } }, exited, false],
    ['no signal', { exits: { signal: null } }, exited, true],
    ['the text of stdout', { exits: { stdout: { $matches: '^hello' } } }, exited, true],
    ['bytes on stderr that are no text', { exits: { stderr: { $type: 'bytes' } } }, exited, true],
    ['a file by its content', { exits: { files: { out: 'x' } } }, exited, true],
    ['a directory by its names', { exits: { files: { dir: { $directory: ['a', 'b'] } } } }, exited, true],
    ['a file as a directory: no', { exits: { files: { out: { $directory: [] } } } }, exited, false],
    ['a file that is not there', { exits: { files: { none: { $absent: true } } } }, exited, true],
    ['a link, whatever it points at: no', { exits: { files: { link: { $anything: true } } } }, exited, false],
    ['a file that is not observed: no', { exits: { files: { other: { $absent: true } } } }, exited, false],
    ['steps', { exits: {}, steps: [{ name: 's', value: 1 }] }, exited, true],
    ['steps alone, whatever the outcome', { steps: { $length: 1 } }, exited, true],
    ['other steps: no', { exits: {}, steps: [] }, exited, false],
    ['an outcome', { outcome: 'timeout' }, { outcome: 'timeout', steps: [] }, true],
    [
      'a crash where a timeout is expected: no',
      { outcome: 'timeout' },
      { outcome: 'crashed', code: 1, signal: null, steps: [] },
      false,
    ],
    ['any', { any: [{ returns: 1 }, { throws: { $anything: true } }] }, threw('x'), true],
    ['all', { all: [{ returns: { $gt: 0 } }, { returns: { $lt: 2 } }] }, returned(1), true],
    ['not', { not: { returns: 1 } }, returned(2), true],
    [
      'not, of a value that was cut off: no',
      { not: { returns: 1 } },
      returned({ $t: 'truncated', why: 'size' }),
      false,
    ],
    [
      'not asBase without base: no',
      { not: { asBase: true } },
      returned({ $t: 'truncated', why: 'x' }),
      false,
    ],
  ])('%s', (_name, expectation, observation, expected) => {
    expect(validateExpectation(expectation)).toEqual([])
    expect(matchObservation(expectation, observation).pass).toBe(expected)
  })

  it('matches asBase what base showed, to the field', () => {
    const expectation = { asBase: true } as const
    expect(matchObservation(expectation, threw(TYPE_ERROR), threw(TYPE_ERROR)).pass).toBe(true)
    expect(matchObservation(expectation, threw({ ...TYPE_ERROR, code: 'E' }), threw(TYPE_ERROR)).pass).toBe(
      false,
    )
    expect(matchObservation(expectation, returned(1), undefined)).toMatchObject({ pass: false })
  })

  it('names path, expected and observed in a mismatch', () => {
    const result = matchObservation(
      { returns: { items: [{ name: 'a' }, { 'odd key': 'b' }] } },
      returned({ items: [{ name: 'a' }, { 'odd key': 'c' }] }),
    )
    expect(result).toEqual({
      pass: false,
      mismatch: 'value.items[1]["odd key"]: expected "b", observed "c"',
    })
  })

  it('keeps a mismatch readable whatever was observed', () => {
    const result = matchObservation({ returns: 'x' }, returned('y'.repeat(1e6)))
    expect(result.pass ? '' : result.mismatch.length).toBeLessThan(400)
  })
})

/** A schema of so many schemas inside each other. */
function nested(depth: number): Pattern {
  let schema: Pattern = {}
  for (let level = 0; level < depth; level += 1) schema = { not: schema }
  return schema
}

describe('an expectation that is nested deeper than the stack goes', () => {
  it('is a fault of the set, not a crash', () => {
    let pattern: Pattern = 1
    for (let level = 0; level < 200_000; level += 1) pattern = { $not: pattern }
    expect(() => passes(pattern, 1)).toThrow(expect.objectContaining({ code: 'oracle/pattern' }))
  })
})

describe('validatePattern', () => {
  it.each<[string, Pattern, string]>([
    ['an unknown operator', { a: [{ $regex: 'x' }] }, '/a/0/$regex'],
    ['an encoded value without $value', { $t: 'undefined' }, '/$t'],
    ['an operator that does not stand alone', { $gt: 1, $lt: 2 }, '/$gt'],
    ['a regular expression with look-ahead', { $matches: '(?=x)' }, '/$matches'],
    ['a list that is none', { $any: 1 }, '/$any'],
    ['an empty $any', { $any: [] }, '/$any'],
    ['a bound that is no number', { $gt: '1' }, '/$gt'],
    ['a type that is none', { $type: 'integer' }, '/$type'],
    ['an error field that is none', { $error: { stack: 'x' } }, '/$error'],
    ['a mistake inside an operator', { $error: { message: { $matches: '(' } } }, '/$error/message/$matches'],
    ['a schema that is none', { $schema: { type: 'text' } }, '/$schema'],
    [
      'a schema that refers to itself',
      { $schema: { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' } },
      '/$schema',
    ],
    [
      'a schema that refers deep inside',
      { $schema: { anyOf: [{ items: { $dynamicRef: '#a' } }] } },
      '/$schema',
    ],
    ['a schema that is too large', { $schema: { enum: ['x'.repeat(100_001)] } }, '/$schema'],
    ['a schema that is nested too deeply', { $schema: nested(100) }, '/$schema'],
    ['a false $absent', { $absent: false }, '/$absent'],
    ['a $near without tolerance', { $near: [1] }, '/$near'],
    ['entries that are no pairs', { $entries: [[1]] }, '/$entries'],
  ])('says where: %s', (_name, pattern, path) => {
    expect(validatePattern(pattern).map((one) => one.path)).toEqual([path])
  })

  it('looks into every part of an expectation', () => {
    const bad: Pattern = { $nope: 1 }
    const expectation: Expectation = {
      any: [
        { returns: bad, steps: bad },
        {
          all: [{ exits: { stdout: bad, files: { 'a/b': { $directory: bad } } } }, { not: { throws: bad } }],
        },
      ],
    }
    expect(validateExpectation(expectation).map(({ path }) => path)).toEqual([
      '/any/0/returns/$nope',
      '/any/0/steps/$nope',
      '/any/1/all/0/exits/stdout/$nope',
      '/any/1/all/0/exits/files/a~1b/$nope',
      '/any/1/all/1/not/throws/$nope',
    ])
  })

  it('is what matching relies on: an unknown operator is a fault, never a decision', () => {
    expect(() => passes({ $not: { $nope: 1 } }, 1)).toThrow('unknown operator')
  })
})

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Pattern>
test.prop([json])('any JSON is its own $literal, and matches as data by it', (value) => {
  const encoded = encodePlain(value)
  expect(passes({ $literal: value }, encoded)).toBe(true)
  expect(passes({ $not: { $literal: value } }, encoded)).toBe(false)
})
describe('many elements in another order', () => {
  const elements = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `k${index}` }))
  const returned = (values: readonly EncodedValue[]): Observation => ({
    outcome: 'returned',
    value: { $t: 'set', values: [...values] },
    steps: [],
  })
  const base = returned(elements)

  it('are the same as on base', () => {
    expect(matchObservation({ asBase: true }, returned(elements.toReversed()), base)).toEqual({ pass: true })
    const other = returned([{ id: -1, name: 'other' }, ...elements.slice(0, -1).toReversed()])
    expect(matchObservation({ asBase: true }, other, base).pass).toBe(false)
    const opaque = returned([{ $t: 'truncated', why: 'depth' }])
    expect(matchObservation({ asBase: true }, opaque, opaque).pass).toBe(false)
  })

  it('are not compared with patterns for minutes: that is not answered, whatever stands around it', () => {
    const $unordered = elements.slice(0, 4000).map(({ id }) => ({ id, name: { $type: 'string' } }))
    const seen = returned(elements.slice(0, 4000).toReversed())
    const expected = { pass: false, unanswered: true, mismatch: expect.stringContaining('4000') }
    expect(matchObservation({ returns: { $unordered } }, seen)).toMatchObject(expected)
    expect(matchObservation({ not: { returns: { $unordered } } }, seen)).toMatchObject(expected)
  })

  it('are looked through for equal ones by a schema', () => {
    const returns = { $schema: { type: 'array', uniqueItems: true } }
    const list = (value: EncodedValue): Observation => ({ outcome: 'returned', value, steps: [] })
    expect(matchObservation({ returns }, list(elements)).pass).toBe(true)
    expect(matchObservation({ returns }, list([...elements, { name: 'k7', id: 7 }]))).toMatchObject({
      pass: false,
      mismatch: expect.stringContaining('two equal items'),
    })
  })
})

test.prop([json, json])('$value says equal exactly when the text is', (a, b) => {
  const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
  expect(passes({ $value: a }, encodePlain(b)) || hasDollar(a) || hasDollar(b)).toBe(
    same || hasDollar(a) || hasDollar(b),
  )
})

/** As the hosts write plain data. */
function encodePlain(value: Pattern): EncodedValue {
  if (Array.isArray(value)) return value.map((element: Pattern) => encodePlain(element))
  if (Object.is(value, -0)) return { $t: 'number', value: '-0' }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, element]): [string, EncodedValue] => [
    key,
    encodePlain(element),
  ])
  if (entries.some(([key]) => key === '$t')) return { $t: 'object', entries }
  return Object.fromEntries(entries)
}

function sorted(value: Pattern): Pattern {
  if (Array.isArray(value)) return value.map((element: Pattern) => sorted(element))
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, element]): [string, Pattern] => [key, sorted(element)])
  return { entries: entries.toSorted(([a], [b]) => (a < b ? -1 : 1)) }
}

function hasDollar(value: Pattern): boolean {
  return JSON.stringify(value).includes('$t') || JSON.stringify([value]).includes('-0') || hasMinusZero(value)
}

function hasMinusZero(value: Pattern): boolean {
  if (Object.is(value, -0)) return true
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).some((one: Pattern) => hasMinusZero(one))
  )
}
