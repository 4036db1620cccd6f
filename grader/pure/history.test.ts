import { describe, expect, it } from 'vitest'
import type { Probe } from '../../specs/check-set.ts'
import { PLAIN } from '../../specs/surroundings.ts'
import { callInputs, withOthers } from './history.ts'

const probe = (siblings: readonly unknown[]): Probe => ({
  row: 'c#own',
  check: 'c',
  mechanism: 'scenario',
  writable: false,
  timeoutMs: 1000,
  seed: 0,
  input: 'own',
  siblings: siblings.map((input, index) => ({ row: `c#${index}`, input })),
})

describe('the inputs of other calls', () => {
  it('are those of a sibling first, then its own, then more siblings', () => {
    const inputs = callInputs(probe(['a', 'b', 'c']), 'seed').map(({ input }) => input)
    expect(inputs[1]).toBe('own')
    expect(inputs.toSorted()).toEqual(['a', 'b', 'c', 'own'])
  })

  it('are its own where it has no sibling, and none where it has none', () => {
    const { input, siblings, ...bare } = probe([])
    expect(callInputs({ ...bare, input }, 'seed')).toEqual([{ input: 'own' }])
    expect(callInputs({ ...bare, siblings: siblings ?? [] }, 'seed')).toEqual([{}])
  })

  it('are the same for the same seed, and differ with it', () => {
    const many = probe(Array.from({ length: 40 }, (_, index) => index))
    expect(callInputs(many, 'seed')).toEqual(callInputs(many, 'seed'))
    expect(callInputs(many, 'seed')).not.toEqual(callInputs(many, 'another'))
    expect(callInputs(many, 'seed')).toHaveLength(8)
  })
})

describe('a run', () => {
  const run = (varied: object) =>
    withOthers({ probe: probe(['a']), run: 1, surroundings: { ...PLAIN, ...varied } }, 'seed')

  it('gets other inputs only where its surroundings have other calls', () => {
    expect(run({ timeZone: 'Asia/Kolkata' })).not.toHaveProperty('others')
    for (const varied of [{ calls: '2' }, { uses: '50' }, { overlap: 'beside another' }]) {
      expect(run(varied).others).toEqual([{ input: 'a' }, { input: 'own' }])
    }
  })
})
