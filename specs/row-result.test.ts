import { describe, expect, it } from 'vitest'
import { resultOfRuns } from './row-result.ts'

const passed = { pass: true }
const failed = { pass: false }
const unanswered = { pass: false, unanswered: true } as const

describe('the result of a row', () => {
  it.each([
    ['is pass when every run passed', [passed, passed], 'pass'],
    ['is fail when every run failed', [failed, failed], 'fail'],
    ['is unstable when the runs disagree', [passed, failed], 'unstable'],
    ['is missing when a run did not come back', [failed], 'missing'],
    ['is missing when one came too often', [failed, failed, failed], 'missing'],
    ['is missing when its judge answered about no run: never a failure', [unanswered, unanswered], 'missing'],
    ['is missing when its judge answered about some runs only', [failed, unanswered], 'missing'],
    ['is missing when nothing ran', [], 'missing'],
  ] as const)('%s', (_name, runs, result) => expect(resultOfRuns(runs, 2)).toBe(result))
})
