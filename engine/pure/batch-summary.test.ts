import { describe, expect, it } from 'vitest'
import { leftMs, summaryOf, type BatchTaskReport } from './batch-summary.ts'

const task = (
  verdict: BatchTaskReport['verdict'],
  states: readonly string[],
  exitCode: number,
): BatchTaskReport => ({
  task: 't',
  path: '/t',
  run: 'r',
  verdict,
  attempts: states.map((state, index) => ({ attempt: index + 1, state })),
  ms: 1000,
  exitCode,
})
const right = task('verified', ['verified', 'refuted'], 0)

describe('the summary of a batch', () => {
  it('counts verdicts, and has pass@k of tasks whose attempts all ended', () => {
    const summary = summaryOf('b', [right, task('refuted', ['refuted', 'refused'], 1)], 2000)
    expect(summary.counts).toMatchObject({ verified: 1, refuted: 1 })
    expect(summary.passAtK.map(({ estimate }) => estimate)).toEqual([0.25, 0.5])
    expect(summary.passAtKNote).toBeUndefined()
  })
  it('says nothing of pass@k where an attempt was stopped, since those that were won early would be left out', () => {
    const won = task('verified', ['verified', 'stopped'], 0)
    const summary = summaryOf(
      'b',
      [...Array.from({ length: 9 }, () => won), task('refuted', ['refuted', 'refuted'], 1)],
      1,
    )
    expect(summary.passAtK).toEqual([])
    expect(summary.passAtKNote).toMatch(/^pass@k is not said: of 9 of 10 tasks an attempt was stopped/)
  })
  it('leaves out tasks that failed, and says so', () => {
    const summary = summaryOf('b', [right, task('failed', [], 2)], 1)
    expect(summary.passAtK).toHaveLength(2)
    expect(summary.passAtKNote).toBe('pass@k is over 1 of 2 tasks: the others have no attempt')
  })
  it.each([
    ['all verified', [0, 0], 0],
    ['one refuted', [0, 1, 3], 1],
    ['one held', [0, 3], 3],
    ['the infrastructure failed', [1, 4, 3], 4],
    ['some are left', [4, 130], 130],
    ['something that has no place here', [0, 143], 143],
  ])('exits by the most urgent: %s', (_, codes, expected) => {
    expect(
      summaryOf(
        'b',
        codes.map((code) => task('verified', [], code)),
        0,
      ).exitCode,
    ).toBe(expected)
  })
})

describe('what is left', () => {
  it('is not said before three ended', () => expect(leftMs([1, 2], 5, 1)).toBeUndefined())
  it('is the median for each turn', () => expect(leftMs([1, 100, 3], 5, 2)).toBe(9))
})
