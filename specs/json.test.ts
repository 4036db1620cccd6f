import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkSetSchema } from './check-set.ts'
import { isJson, jsonSchema, MAX_JSON_DEPTH } from './json.ts'
import { observationSchema } from './observation.ts'

const cyclic: unknown[] = []
cyclic.push(cyclic)
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

describe('isJson', () => {
  it.each([
    ['null', null, true],
    ['an object with a key __proto__', JSON.parse('{"__proto__":{"a":1}}'), true],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), true],
    ['nesting at the cap', nested(MAX_JSON_DEPTH), true],
    ['nesting over the cap', nested(MAX_JSON_DEPTH + 1), false],
    ['a cycle', cyclic, false],
    ['undefined', undefined, false],
    ['NaN', Number.NaN, false],
    ['a date', new Date(0), false],
    ['undefined inside', { a: undefined }, false],
  ])('%s: %o', (_name, value, expected) => expect(isJson(value)).toBe(expected))
})

describe('formats that hold JSON', () => {
  it('keep the key __proto__ of an observed value', () => {
    const value: unknown = JSON.parse('{"a":{"__proto__":{"polluted":true}}}')
    const observation = observationSchema.parse({ outcome: 'returned', value, steps: [] })
    expect(JSON.stringify(observation)).toContain('"__proto__":{"polluted":true}')
  })

  it('keep the key __proto__ of an input and of an expectation', () => {
    const data: unknown = JSON.parse('{"__proto__":{"polluted":true}}')
    const set = checkSetSchema.parse({
      version: 1,
      claims: [{ id: 'c', kind: 'change', statement: 's', spec_ref: 'r' }],
      checks: [
        {
          id: 'a',
          claim: 'c',
          role: 'guard',
          scenario: 'scenarios/a.mjs',
          input: data,
          expect: { returns: data },
        },
      ],
    })
    expect(JSON.stringify(set).match(/"__proto__":{"polluted":true}/g)).toHaveLength(2)
  })

  it('ask for a value that is missing', () => {
    expect(observationSchema.safeParse({ outcome: 'returned', steps: [] }).success).toBe(false)
    expect(z.strictObject({ value: jsonSchema() }).safeParse({}).success).toBe(false)
  })

  it('have a JSON Schema that asks for the value too', () => {
    expect(z.toJSONSchema(z.strictObject({ value: jsonSchema() })).required).toEqual(['value'])
  })
})
