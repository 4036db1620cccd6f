import { describe, expect, it } from 'vitest'
import type { RowRun } from '../../specs/grade.ts'
import type { Varied } from '../../specs/surroundings.ts'
import { differenceOf } from './difference.ts'

const run = (value: number, pass: boolean, surroundings?: Varied): RowRun => ({
  observation: { outcome: 'returned', value, steps: [] },
  pass,
  ...(pass ? {} : { mismatch: `value: expected 1, observed ${value}` }),
  ...(surroundings === undefined ? {} : { surroundings }),
})
const INDIA = { timeZone: 'Asia/Kolkata' }

describe('what a row depends on', () => {
  it.each<[string, RowRun[], string | undefined]>([
    [
      'is named with both observations',
      [run(1, true), run(2, false, INDIA)],
      'passes with TZ=UTC (returned 1), fails with TZ=Asia/Kolkata (value: expected 1, observed 2)',
    ],
    [
      'either way round',
      [run(2, false), run(1, true, { ...INDIA, load: 'import' })],
      'passes with TZ=Asia/Kolkata, loaded by import (returned 1), fails with TZ=UTC, loaded by require (value: expected 1, observed 2)',
    ],
    [
      'leaves out what both have',
      [run(1, true, { ci: '1', umask: '077' }), run(2, false, { ci: '1' })],
      'passes with umask 077 (returned 1), fails with umask 022 (value: expected 1, observed 2)',
    ],
    ['is nothing when all runs agree', [run(1, true), run(1, true, INDIA)], undefined],
    ['is nothing when the surroundings are the same', [run(1, true), run(2, false)], undefined],
    [
      'is not the surroundings when one of them saw both',
      [run(1, true, INDIA), run(2, false), run(2, false, INDIA)],
      undefined,
    ],
  ])('%s', (_, runs, expected) => expect(differenceOf({ runs })).toBe(expected))

  it('is cut where an observation is long', () => {
    const long = { ...run(2, false, INDIA), mismatch: 'x'.repeat(5000) }
    expect(differenceOf({ runs: [run(1, true), long] })?.length).toBeLessThan(400)
  })
})
