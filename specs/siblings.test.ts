import { describe, expect, it } from 'vitest'
import { checkSchema } from './check-set.ts'
import { expandCheckSet } from './expand.ts'

const returns = { returns: 1 }
const siblingsOf = (...checks: readonly object[]) =>
  Object.fromEntries(
    expandCheckSet({ checks: checks.map((check) => checkSchema.parse(check)) }).probes.map(
      ({ row, siblings }) => [row, siblings],
    ),
  )
const check = (id: string, more: object) => ({
  id,
  claim: 'c',
  role: 'behaviour',
  scenario: 'scenarios/a.mjs',
  expect: returns,
  ...more,
})

describe('siblings', () => {
  it('are the other rows over the same scenario and of the same role, with their inputs', () => {
    const found = siblingsOf(
      check('a', { cases: [{ id: 'x', input: 1 }, { id: 'y' }] }),
      check('b', { input: 2 }),
      check('other-scenario', { scenario: 'scenarios/b.mjs' }),
      check('guard', { role: 'guard' }),
    )
    expect(found).toEqual({
      'a#x': [{ row: 'a#y' }, { row: 'b', input: 2 }],
      'a#y': [
        { row: 'a#x', input: 1 },
        { row: 'b', input: 2 },
      ],
      b: [{ row: 'a#x', input: 1 }, { row: 'a#y' }],
      'other-scenario': undefined,
      guard: undefined,
    })
  })

  it.each([
    ['crashed', { outcome: 'crashed' }],
    ['one of several', { any: [returns, { outcome: 'timeout' }] }],
    ['among others', { all: [{ outcome: 'limit' }] }],
  ])('are no rows that expect their process to end: %s', (_, expectation) => {
    const found = siblingsOf(check('ends', { expect: expectation }), check('b', {}))
    expect(found).toEqual({ ends: [{ row: 'b' }], b: undefined })
  })

  it('are rows of scenarios only', () => {
    const command = { scenario: undefined, command: { argv: ['x'] } }
    expect(siblingsOf(check('a', command), check('b', command))).toEqual({ a: undefined, b: undefined })
  })
})
