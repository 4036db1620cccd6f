import { canonicalJson } from '../../specs/digest.ts'
import type { ClaimResult, Grade, RowResult } from '../../specs/grade.ts'

/** How a grade that was made again differs from the record. */
export interface GradeDifference {
  /** `row id`, `claim id`, `findings` or `verdict`. */
  readonly what: string
  readonly recorded: string
  readonly replayed: string
}

export interface GradeComparison {
  /** Results that differ: each is a divergence. */
  readonly differences: readonly GradeDifference[]
  /** Rows with the same result but another observation: shown, since a product may not be deterministic. */
  readonly otherObservations: readonly string[]
}

/**
 * Compares every result of two grades of one tree. Image, runner and key are not compared: another machine has built
 * its own image of the same recipe.
 */
export function compareGrades(recorded: Grade, replayed: Grade): GradeComparison {
  const rows = new Map(replayed.rows.map((row) => [row.row, row]))
  const missing = recorded.rows.length === replayed.rows.length ? [] : [countDifference(recorded, replayed)]
  return {
    differences: [
      ...missing,
      ...recorded.rows.flatMap((row) =>
        differs(row.row, row.result, rows.get(row.row)?.result ?? '(not there)'),
      ),
      ...recorded.claims.flatMap((claim) =>
        differs(claim.claim, told(claim), told(replayed.claims.find((one) => one.claim === claim.claim))),
      ),
      ...differs('findings', kindsOf(recorded), kindsOf(replayed)),
      ...differs('verdict', recorded.verdict, replayed.verdict),
      ...differs('failed', `${recorded.failed} of ${recorded.of}`, `${replayed.failed} of ${replayed.of}`),
    ],
    otherObservations: recorded.rows
      .filter((row) => seen(row) !== seen(rows.get(row.row)))
      .map(({ row }) => row),
  }
}

/** What decides, of a claim: its verdict, how strong its evidence is, and what is missing. */
function told(claim: ClaimResult | undefined): string {
  if (claim === undefined) return '(not there)'
  const { verdict, strength, gap, missing } = claim
  const missed = missing === undefined ? '' : `, missing (${gap ?? 'no gap'}): ${missing}`
  return `${verdict}, ${strength}${missed}`
}

function differs(what: string, recorded: string, replayed: string): GradeDifference[] {
  return recorded === replayed ? [] : [{ what, recorded, replayed }]
}

function countDifference(recorded: Grade, replayed: Grade): GradeDifference {
  return { what: 'rows', recorded: String(recorded.rows.length), replayed: String(replayed.rows.length) }
}

function kindsOf({ findings }: Grade): string {
  return findings
    .map(({ kind, row }) => `${kind}${row === undefined ? '' : ` (${row})`}`)
    .sort()
    .join(', ')
}

function seen(row: RowResult | undefined): string {
  return row === undefined ? '' : canonicalJson(row.runs.map(({ observation }) => observation))
}
