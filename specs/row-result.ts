import type { RowResult, RowRun } from './grade.ts'

/**
 * A row's result over its runs: `pass` and `fail` only when all of `times` runs agree. It is `missing` when a run did not
 * come back, or when its judge gave no answer about one: that is a fault of the set, and says nothing of the product.
 */
export function resultOfRuns(
  runs: readonly Pick<RowRun, 'pass' | 'unanswered'>[],
  times: number,
): RowResult['result'] {
  if (runs.length !== times || times < 1) return 'missing'
  if (runs.some(({ unanswered }) => unanswered === true)) return 'missing'
  const passed = runs.filter(({ pass }) => pass).length
  if (passed === times) return 'pass'
  return passed === 0 ? 'fail' : 'unstable'
}
