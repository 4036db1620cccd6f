import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { parseStrictJson } from './strict-json.ts'

describe('parseStrictJson', () => {
  it.each([
    ['a key that stands twice', '{\n "a": 1,\n "a": 2}', '3:2', 'the key "a" stands twice'],
    ['a key that stands twice, once escaped', '{"a":1,"\\u0061":2}', '1:8', 'the key "a" stands twice'],
    ['a comma before the end', '[1,]', '1:4', 'expected a JSON value'],
    ['a comma after the last entry', '{"a":1,}', '1:8', 'expected a string in double quotes'],
    ['a comment', '// hello\n{}', '1:1', 'expected a JSON value'],
    ['single quotes', "{'a':1}", '1:2', 'expected a string in double quotes'],
    ['a raw newline in a string', '["a\nb"]', '1:2', 'expected a string in double quotes'],
    ['something after the document', '{} x', '1:4', 'expected the end of the file'],
    ['nothing', '', '1:1', 'expected a JSON value'],
    ['a number without a finite value', '1e999', '1:6', 'the number 1e999 is too large'],
    ['a leading zero', '01', '1:2', 'expected the end of the file'],
    ['nesting over the cap', '[[[[1]]]]', '1:5', 'nested deeper than 3'],
  ])('refuses %s', (_name, text, at, problem) => {
    expect(parseStrictJson(text, 3)).toEqual({ kind: 'refused', at, problem })
  })

  it('does not overflow on a hundred thousand brackets', () => {
    expect(parseStrictJson('['.repeat(100_000))).toMatchObject({
      kind: 'refused',
      problem: 'nested deeper than 200',
    })
  })

  it('reads a string of a million characters', () => {
    const text = JSON.stringify('a"\\'.repeat(300_000))
    expect(parseStrictJson(text)).toEqual({ kind: 'json', value: JSON.parse(text) })
  })

  it('keeps __proto__ as an own key', () => {
    const outcome = parseStrictJson('{"__proto__":{"a":1}}')
    expect(JSON.stringify(outcome)).toBe('{"kind":"json","value":{"__proto__":{"a":1}}}')
  })

  test.prop([fc.jsonValue()])('reads all that JSON.stringify writes, as JSON.parse does', (value) => {
    const text = JSON.stringify(value, null, 1)
    expect(parseStrictJson(text)).toEqual({ kind: 'json', value: JSON.parse(text) })
  })

  test.prop([fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\ntrue0-1.e "a')) })])(
    'never throws, and accepts nothing that JSON.parse refuses',
    (text) => {
      const outcome = parseStrictJson(text)
      if (outcome.kind === 'json') expect(JSON.parse(text)).toEqual(outcome.value)
    },
  )
})
