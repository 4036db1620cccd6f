import { expect, it } from 'vitest'
import type { EventBody } from '../../specs/journal.ts'
import { fold } from '../state.ts'
import { delivered, graded, opened, sealed, started } from '../testing/events.ts'
import { attemptRows } from './attempt-rows.ts'

const decided = (decision: Extract<EventBody, { type: 'decided' }>['decision']): EventBody => ({
  type: 'decided',
  decision,
})
const seen = (attempt: number) => ({
  label: `a${attempt}`,
  ms: 61_400,
  lastLine: `line\u001b[31m of ${attempt}`,
})
const feedback = { do: 'feedback', attempt: 1, round: 1, failed: 1, of: 3, bits: 2 } as const

it('has a line for each attempt that is not over, with what came out of a box escaped', () => {
  const events: EventBody[] = [
    started({}, 3),
    decided({ do: 'seal' }),
    decided({ do: 'start', attempt: 1, round: 1 }),
    decided({ do: 'start', attempt: 2, round: 1 }),
    decided({ do: 'start', attempt: 3, round: 1 }),
    sealed,
    ...[1, 3].flatMap((attempt): EventBody[] => [
      delivered(attempt),
      decided({ do: 'open', attempt, round: 1 }),
      opened(attempt),
      decided({ do: 'grade', attempt, round: 1 }),
      graded(attempt, 'refuted'),
    ]),
    decided(feedback),
  ]
  const rows = attemptRows(fold(events), seen)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatch(/^ 1 {2}a1 +round 1 {2}hearing +1\/3 failed +61 s {2}cost –$/)
  expect(rows[1]).toMatch(/^ 2 {2}a2 +round 1 {2}working +61 s {2}cost – {2}line.* of 2$/)
  expect(rows[1]).not.toContain('\u001b')
})

it('says when the oracle is at work, and nothing once the run is finished', () => {
  const sealing = fold([started({}, 1), decided({ do: 'seal' })])
  expect(attemptRows(sealing, seen)[0]).toContain('oracle: writing checks')
  expect(attemptRows({ ...sealing, end: { outcome: 'refuted' } }, seen)).toEqual([])
})
