import { expect, it } from 'vitest'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { delivered, DIGEST } from '../testing/events.ts'
import { attemptTimeMs } from './attempt-time.ts'

const start = (attempt: number, round = 1): EventBody => ({
  type: 'decided',
  decision: { do: 'start', attempt, round },
})
const resumed: EventBody = { type: 'resumed', reason: 'test' }

function lines(...events: readonly (readonly [number, EventBody])[]): JournalLine[] {
  return events.map(([seconds, body], seq) => ({
    v: 1,
    seq,
    at: new Date(seconds * 1000).toISOString(),
    prev: DIGEST,
    hash: DIGEST,
    body,
  }))
}

it.each<[string, JournalLine[], number]>([
  ['nothing yet', lines([0, start(2)]), 0],
  ['one round', lines([5, start(1)], [6, start(2)], [9, delivered(1)]), 4000],
  ['two rounds', lines([5, start(1)], [9, delivered(1)], [100, start(1, 2)], [103, delivered(1, 2)]), 7000],
  ['a round that is under way', lines([5, start(1)], [9, start(2)]), 0],
  [
    'a round that a crash cut off, and the night after it not',
    lines([5, start(1)], [7, delivered(2)], [30_000, resumed], [30_001, start(1)], [30_004, delivered(1)]),
    5000,
  ],
  ['a clock that was set back', lines([50, start(1)], [9, delivered(1)]), 0],
])('counts what a worker worked: %s', (_, events, expected) => {
  expect(attemptTimeMs(events, 1)).toBe(expected)
})
