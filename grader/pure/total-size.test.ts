import { describe, expect, it } from 'vitest'
import type { Observed } from '../../specs/examiner.ts'
import { capTotal } from './total-size.ts'

const seen = (row: string, value: string, run = 0): { run: number; of: Observed } => ({
  run,
  of: { row, observation: { outcome: 'returned', value, steps: [] } },
})

describe('capTotal', () => {
  it('keeps what fits', () => {
    const all = [seen('a', 'x'), seen('b', 'y')]
    expect(capTotal(all)).toEqual(all.map(({ of }) => of))
  })
  it('takes what does not fit for a run into the limit of output, and goes on with what does', () => {
    const all = [seen('a', 'x'), seen('b', 'y'.repeat(500)), seen('c', 'z')]
    expect(capTotal(all, 200).map(({ observation }) => observation.outcome)).toEqual([
      'returned',
      'limit',
      'returned',
    ])
  })
  it('counts each run by itself: more runs of the same are not too much', () => {
    const all = [0, 1, 2].map((run) => seen('a', 'y'.repeat(100), run))
    expect(capTotal(all, 200).map(({ observation }) => observation.outcome)).toEqual(
      Array(3).fill('returned'),
    )
  })
  it('counts escapes as they are written', () => {
    expect(capTotal([seen('a', '\u0001'.repeat(100))], 400)[0]?.observation.outcome).toBe('limit')
  })
})
