import { expect, it } from 'vitest'
import type { Policy } from '../../specs/policy.ts'
import { checkedPolicy } from './checked-policy.ts'

it.each<[string, unknown, Partial<Policy>]>([
  ['nothing stays nothing: the task decides', undefined, {}],
  ['only what was given replaces', { rounds: 2 }, { rounds: 2 }],
  ['a field that is undefined was not given', { rounds: undefined, repeats: 3 }, { repeats: 3 }],
])('%s', (_name, given, expected) => expect(checkedPolicy(given as Partial<Policy>)).toEqual(expected))

it.each<[string, unknown, RegExp]>([
  ['a number beyond its range', { feedbackBits: 2000 }, /policy: feedbackBits/],
  ['a field that is none', { round: 2 }, /unknown key "round"/],
  ['another type', { strength: true }, /policy: strength/],
])('refuses %s, before anything is written', (_name, given, message) => {
  expect(() => checkedPolicy(given as Partial<Policy>)).toThrow(
    expect.objectContaining({ code: 'config/policy', message: expect.stringMatching(message) as unknown }),
  )
})
