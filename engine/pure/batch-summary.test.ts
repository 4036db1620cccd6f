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
  it('says of how many tasks pass@k says nothing', () => {
    const summary = summaryOf('b', [right, task('verified', ['verified', 'stopped'], 0)], 2000)
    expect(summary.passAtK).toHaveLength(2)
    expect(summary.passAtKNote).toMatch(/^of 1 of 2 tasks some attempt was stopped/)
  })
  it.each([
    ['all verified', [0, 0], 0],
    ['one refuted', [0, 1, 3], 1],
    ['one held', [0, 3], 3],
    ['the infrastructure failed', [1, 4, 3], 4],
    ['some are left', [4, 130], 130],
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
