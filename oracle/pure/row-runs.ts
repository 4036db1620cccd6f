import type { Probe, RowRule } from '../../specs/check-set.ts'
import type { Judged, Observed } from '../../specs/examiner.ts'
import type { RowResult, RowRun } from '../../specs/grade.ts'
import type { Observation } from '../../specs/observation.ts'
import { resultOfRuns } from '../../specs/row-result.ts'

/** A row and its runs on one tree. */
export interface RowRuns {
  readonly rule: RowRule
  /** In the order in which they came back. */
  readonly runs: readonly RowRun[]
}

/** A product that does next to nothing, as what it would show. */
interface TrivialProduct {
  readonly name: string
  readonly observation: Observation
}

/** The trivial products for a check's mechanism; the grader has them. */
export type TrivialProducts = (probe: Pick<Probe, 'mechanism' | 'command'>) => readonly TrivialProduct[]

/** Observations and their judgements (same order) as the runs of each row. A row without any has an empty list. */
export function runsByRow(
  rules: readonly RowRule[],
  observed: readonly Observed[],
  judged: readonly Pick<Judged, 'pass' | 'mismatch' | 'unanswered'>[],
): readonly RowRuns[] {
  const runs = new Map<string, RowRun[]>(rules.map((rule) => [rule.row, []]))
  for (const [index, { row, observation, surroundings }] of observed.entries()) {
    const judgement = judged[index]
    if (judgement === undefined) continue
    const { pass, mismatch, unanswered } = judgement
    runs.get(row)?.push({
      observation,
      pass,
      ...(mismatch === undefined ? {} : { mismatch }),
      ...(unanswered === undefined ? {} : { unanswered }),
      ...(surroundings === undefined ? {} : { surroundings }),
    })
  }
  return rules.map((rule) => ({ rule, runs: runs.get(rule.row) ?? [] }))
}

/** A row's result over its runs. */
export function rowResultOf({ rule, runs }: RowRuns, times: number): RowResult {
  const { row, check, claim, role } = rule
  const result = resultOfRuns(runs, times)
  return { row, check, ...(claim === undefined ? {} : { claim }), role, result, runs: [...runs] }
}
