import { describe, expect, it } from 'vitest'
import type { Finding, Grade } from '../../specs/grade.ts'
import { seenOf, type Ended } from './outcome.ts'

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
