import { fc, test } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import type { Probe } from '../../specs/check-set.ts'
import { schedule, surroundingsOf } from './schedule.ts'

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
  const all = schedule([row], 3, 0).toSorted((a, b) => a.run - b.run)
  const parts = [...schedule([row], 1, 1), ...schedule([row], 2, 2, 1)].toSorted((a, b) => a.run - b.run)
  expect(parts).toEqual(all)
})

it('puts what is slow by nature last', () => {
  const probes = [probe('slow', 60_000), probe('a'), probe('b')]
  for (let seed = 0; seed < 20; seed += 1) expect(names(schedule(probes, 1, seed)).at(-1)).toBe('slow 0')
})

it('runs a row in plain surroundings first, then in others that its seed decides', () => {
  const row = { row: 'r', seed: 3 }
  expect(surroundingsOf(row, 0)).toEqual({ timeZone: 'UTC', locale: 'C.UTF-8' })
  expect(surroundingsOf(row, 1)).toEqual(surroundingsOf(row, 1))
  expect(surroundingsOf(row, 1).timeZone).not.toBe('UTC')
  const zones = [1, 2, 3, 4, 5, 6].map((run) => surroundingsOf(row, run).timeZone)
  expect(new Set(zones).size).toBeGreaterThan(1)
})
