/** What is left to ask a judge after one of its processes came to its end. */
export interface JudgeRound {
  /** The row that it was at when it ended without having answered everything. It is not asked about again. */
  readonly silent: number | undefined
  /** To be asked about in the next process, in the same order. */
  readonly left: readonly number[]
}

/**
 * Rows are judged one after the other, so the first one without an answer is the one that kept the judge from going on,
 * and says nothing of those after it.
 * @param asked indexes in the order in which they were asked about.
 */
export function nextJudgeRound(
  asked: readonly number[],
  answered: { has(index: number): boolean },
): JudgeRound {
  const open = asked.filter((index) => !answered.has(index))
  return { silent: open[0], left: open.slice(1) }
}
