import type { CheckSet } from '../specs/check-set.ts'
import { expandCheckSet } from '../specs/expand.ts'
import type { Judged } from '../specs/examiner.ts'
import type { Grade, RowRun } from '../specs/grade.ts'
import type { Seal } from '../specs/seal.ts'
import { assembleGrade } from './grade.ts'
import { matchObservation } from './pure/match.ts'

export interface Rejudged {
  readonly grade: Grade
  /** Rows that a judge module judged: taken as recorded, since a judge runs in a box. */
  readonly asRecorded: number
}

/**
 * Judges the recorded observations of a grade again and sums up again; no box, no clock.
 * @param repeats runs of every row, from the policy of the run: what the grade holds does not say how many are missing.
 */
export function rejudge(grade: Grade, seal: Seal, checkSet: CheckSet, repeats: number): Rejudged {
  const rules = new Map(expandCheckSet(checkSet.document).rules.map((rule) => [rule.row, rule]))
  const runs = grade.rows.flatMap(({ row, runs }) => runs.map((run) => ({ row, run })))
  const base = seal.manifest.baseObservations
  const judged = runs.map(({ row, run }) => {
    const expect = rules.get(row)?.expect
    if (expect === undefined) return asRecordedIn(run, row)
    return {
      row,
      ...matchObservation(expect, run.observation, Object.hasOwn(base, row) ? base[row] : undefined),
    }
  })
  const { tree, seal: sealDigest, image, runner, limits } = grade
  const again = assembleGrade({
    question: { tree, seal: sealDigest, image, runner, limits },
    seal,
    checkSet,
    repeats,
    seen: {
      observed: runs.map(({ row, run: { observation, surroundings } }) => ({
        row,
        observation,
        ...(surroundings === undefined ? {} : { surroundings }),
      })),
      // Of a canary with a row it is found again; one that was planted has none.
      findings: grade.findings.filter(({ kind, row }) => kind !== 'canary-passed' || row === undefined),
      ...(grade.restored === undefined ? {} : { restored: grade.restored }),
    },
    judged,
  })
  return { grade: again, asRecorded: runs.filter(({ row }) => rules.get(row)?.expect === undefined).length }
}

function asRecordedIn({ pass, mismatch, unanswered }: RowRun, row: string): Judged {
  return {
    row,
    pass,
    ...(mismatch === undefined ? {} : { mismatch }),
    ...(unanswered === undefined ? {} : { unanswered }),
  }
}
