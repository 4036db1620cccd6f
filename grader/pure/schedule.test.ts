import { fc, test } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import type { Probe } from '../../specs/check-set.ts'
import { PLAIN, surroundingsOf } from '../../specs/surroundings.ts'
import { schedule } from './schedule.ts'

const probe = (row: string, timeoutMs = 1000): Probe => ({
  row,
  check: row,
  mechanism: 'scenario',
  writable: false,
  timeoutMs,
  seed: 0,
})
const names = (runs: ReturnType<typeof schedule>) => runs.map((one) => `${one.probe.row} ${one.run}`)

test.prop([fc.uniqueArray(fc.string()), fc.integer({ min: 1, max: 4 }), fc.nat()])(
  'every run of every probe is planned once, in an order that the seed decides',
  (rows, times, seed) => {
    const probes = rows.map((row) => probe(row))
    const plan = names(schedule(probes, times, seed))
    expect(plan.toSorted()).toEqual(
      rows.flatMap((row) => Array.from({ length: times }, (_, run) => `${row} ${run}`)).toSorted(),
    )
    expect(names(schedule(probes, times, seed))).toEqual(plan)
  },
)

it('goes on where an earlier call stopped, in the same surroundings as one call for all', () => {
  const row = probe('r')
  const by = (subject: Probe, run: number) => surroundingsOf('0'.repeat(64), subject, run)
  const inOrder = (runs: ReturnType<typeof schedule>) => runs.toSorted((a, b) => a.run - b.run)
  const all = inOrder(schedule([row], 3, 0, 0, by))
  expect(inOrder([...schedule([row], 1, 1, 0, by), ...schedule([row], 2, 2, 1, by)])).toEqual(all)
  expect(all.map(({ surroundings }) => surroundings === PLAIN)).toEqual([true, false, false])
})

it('puts what is slow by nature last', () => {
  const probes = [probe('slow', 60_000), probe('a'), probe('b')]
  for (let seed = 0; seed < 20; seed += 1) expect(names(schedule(probes, 1, seed)).at(-1)).toBe('slow 0')
})

it('goes from one user to another once, and nobody can foresee who is first', () => {
  const probes = Array.from({ length: 6 }, (_, n) => probe(`r${n}`))
  const firsts = new Set<string>()
  for (let seed = 0; seed < 20; seed += 1) {
    const plan = schedule(probes, 2, seed, 0, (subject, run) => surroundingsOf('0'.repeat(64), subject, run))
    const users = plan.map(({ surroundings }) => surroundings.user)
    expect(users.filter((user, index) => user !== users[index - 1])).toHaveLength(2)
    firsts.add(users[0] ?? '')
  }
  expect(firsts.size).toBe(2)
})
