import { expect, it } from 'vitest'
import type { EventBody } from '../../specs/journal.ts'
import { delivered, graded, opened, sealed, started, TREE } from '../testing/events.ts'
import { roundStart } from './round-start.ts'

const BASE = 'c'.repeat(40)
const reply = (attempt: number, failed: number): EventBody => ({
  type: 'decided',
  decision: { do: 'feedback', attempt, round: 1, failed, of: 3, bits: 2 },
})
const given: EventBody = { type: 'feedback-given', attempt: 1, round: 1, failed: 1, of: 3 }
const resumed: EventBody = { type: 'resumed', reason: 'test' }
const round = [started(), sealed, delivered(1), opened(1), graded(1, 'refuted')]

it.each<[string, readonly EventBody[], string, object | undefined]>([
  ['the first round has base and nothing', [started(), sealed], BASE, undefined],
  ['the second has its own tree and the reply', [...round, reply(1, 1), given], TREE, { failed: 1, of: 3 }],
  ['a reply whose giving was cut off is heard', [...round, reply(1, 1), resumed], TREE, { failed: 1, of: 3 }],
  ['the last reply counts', [...round, reply(1, 1), given, reply(1, 2), resumed], TREE, { failed: 2, of: 3 }],
  ['a reply to another attempt is none', [...round, reply(2, 1)], TREE, undefined],
])('%s', (_, events, tree, feedback) => {
  expect(roundStart(events, 1, BASE)).toEqual({ tree, feedback })
})
