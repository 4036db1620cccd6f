import type { RowRule } from '../../specs/check-set.ts'
import type { Finding, RowResult, RowRun } from '../../specs/grade.ts'
import { resultOfRuns } from '../../specs/row-result.ts'
import type { RowAdmission } from '../../specs/seal.ts'

/** One run of one row with its judgement, in the order in which they were asked for. */
export interface JudgedRun extends RowRun {
  readonly row: string
}

/**
 * The result of each row from its runs.
 * @param rules the rows that were run, in the order of the check set.
 */
export function rowResults(
  rules: readonly RowRule[],
  runs: readonly JudgedRun[],
  repeats: number,
): readonly RowResult[] {
  const byRow = Map.groupBy(runs, ({ row }) => row)
  return rules.map(({ row, check, claim, role }) => {
    const own = (byRow.get(row) ?? []).map(({ observation, pass, mismatch, unanswered, surroundings }) => ({
      observation,
      pass,
      ...(mismatch === undefined ? {} : { mismatch }),
      ...(unanswered === undefined ? {} : { unanswered }),
      ...(surroundings === undefined ? {} : { surroundings }),
    }))
    return {
      row,
      check,
      ...(claim === undefined ? {} : { claim }),
      role,
      result: resultOfRuns(own, repeats),
      runs: own,
    }
  })
}

/** Canaries (D7) expect what nobody can produce: one that passed, in any run, means that the plumbing was tampered with. */
export function canaryFindings(rows: readonly RowResult[]): readonly Finding[] {
  return rows
    .filter(({ role, runs }) => role === 'canary' && runs.some(({ pass }) => pass))
    .map(({ row }) => ({ kind: 'canary-passed', row, detail: 'an impossible expectation was met' }))
}

/** The rules of the rows that are run on an output: those that admission found valid. Void rows do not count. */
export function rowsToRun(
  rules: readonly RowRule[],
  admissions: readonly RowAdmission[],
): readonly RowRule[] {
  const valid = new Set(admissions.filter(({ state }) => state === 'valid').map(({ row }) => row))
  return rules.filter(({ row }) => valid.has(row))
}
