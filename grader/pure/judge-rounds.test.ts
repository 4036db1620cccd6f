import { describe, expect, it } from 'vitest'
import { nextJudgeRound } from './judge-rounds.ts'

describe('after a judge ended', () => {
  it.each<[string, readonly number[], readonly number[], ReturnType<typeof nextJudgeRound>]>([
    ['that answered everything, nothing is left', [1, 2], [1, 2], { silent: undefined, left: [] }],
    [
      'at its second row, that one is given up and those after it are asked again',
      [4, 7, 9],
      [4],
      { silent: 7, left: [9] },
    ],
    ['before its first answer, the first row is given up', [4, 7], [], { silent: 4, left: [7] }],
    ['at its last row, nothing is asked again', [4, 7], [4], { silent: 7, left: [] }],
  ])('%s', (_name, asked, answered, expected) =>
    expect(nextJudgeRound(asked, new Set(answered))).toEqual(expected),
  )
})
