import { describe, expect, it } from 'vitest'
import type { Finding, Grade } from '../../specs/grade.ts'
import { seenOf, tellingAttempt, type Ended } from './outcome.ts'

const grade = (findings: readonly Finding[]): Grade =>
  ({ findings, rows: [], claims: [] }) as unknown as Grade
const forged: Finding = { kind: 'forged-frame', row: 'r', detail: 'a line of its own' }
const opened = (refusals: readonly { path: string; reason: string; detail: string }[]): Ended['opened'] => ({
  type: 'opened',
  attempt: 1,
  round: 1,
  gate: { kind: 'refused', refusals: [...refusals] },
  dependencies: { kind: 'none' },
  changed: 0,
  ignored: [],
})

describe('what a grade came to', () => {
  it.each<[string, Ended, string]>([
    ['verified', { verdict: 'verified', grade: grade([]) }, 'verified'],
    ['refuted', { verdict: 'refuted', grade: grade([]) }, 'refuted'],
    [
      'tampered, named by its finding',
      { verdict: 'refuted', heldFor: 'tampered', grade: grade([forged]) },
      'tampered forged-frame',
    ],
    ['held', { verdict: 'unverifiable', heldFor: 'dependencies' }, 'held dependencies'],
    ['unfinished, which is no verdict', { verdict: 'unfinished' }, 'held unfinished'],
    [
      'refused at the gate',
      { verdict: 'refuted', opened: opened([{ path: 'x', reason: 'gitlink', detail: 'a submodule' }]) },
      'refused gitlink',
    ],
  ])('%s', (_name, ended, outcome) => {
    expect(seenOf(ended).outcome).toBe(outcome)
  })

  it('says why', () => {
    expect(seenOf({ verdict: 'refuted', heldFor: 'tampered', grade: grade([forged]) }).because).toEqual([
      'forged-frame in r: a line of its own',
    ])
  })
})

describe('a run of several attempts is told of', () => {
  type Told = Parameters<typeof tellingAttempt>[0]
  const attempt = (number: number, state: string): Told['attempts'][number] => ({
    attempt: number,
    label: 'a worker',
    rounds: 1,
    notes: [],
    state,
    ...(state === 'refused' ? {} : { grade: grade([]) }),
  })
  const held = (attempt?: number): Told['outcome'] => ({
    outcome: 'held',
    decision: {
      do: 'hold',
      cause: 'tampered',
      missing: 'an explanation',
      ...(attempt === undefined ? {} : { attempt }),
    },
  })
  it.each<[string, Told['outcome'], readonly string[], number | undefined]>([
    [
      'the one that completed, though a later one was refused at the gate',
      { outcome: 'completed', attempt: 1 },
      ['verified', 'refused'],
      1,
    ],
    [
      'the one that completed, though it is the last',
      { outcome: 'completed', attempt: 2 },
      ['refuted', 'verified'],
      2,
    ],
    ['the one that is held', held(2), ['refuted', 'tampered'], 2],
    [
      'the first that was graded, where none is named',
      { outcome: 'refuted' },
      ['refused', 'refuted', 'refuted'],
      2,
    ],
    ['the first, where none was graded', { outcome: 'refuted' }, ['refused', 'refused'], 1],
    ['none, where there is none', held(), [], undefined],
  ])('%s', (_name, outcome, states, expected) => {
    const attempts = states.map((state, index) => attempt(index + 1, state))
    expect(tellingAttempt({ outcome, attempts })?.attempt).toBe(expected)
  })
})
