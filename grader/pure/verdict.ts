import type { Claim, CheckSetDocument } from '../../specs/check-set.ts'
import type { ClaimResult, Finding, RowResult, Verdict } from '../../specs/grade.ts'
import type { Observation } from '../../specs/observation.ts'
import type { RowAdmission } from '../../specs/seal.ts'
import { differenceOf } from './difference.ts'

/** All that verdicts rest on. */
export interface Evidence {
  readonly claims: readonly Claim[]
  /** The set's own list of claims that no check can settle. */
  readonly unverifiable: CheckSetDocument['unverifiable']
  readonly admissions: readonly RowAdmission[]
  readonly rows: readonly RowResult[]
  readonly baseObservations: Readonly<Record<string, Observation>>
  readonly findings: readonly Finding[]
}

export interface Verdicts {
  readonly verdict: Verdict
  readonly claims: readonly ClaimResult[]
  /** Of the deciding rows that are for feedback; those for landing answer in the verdicts, and nowhere else. */
  readonly failed: number
  readonly of: number
}

/** A row that counts for a claim, and what admission said of it. */
interface Deciding {
  readonly row: RowResult
  readonly admission: RowAdmission
}

/** From rows to the verdict of each claim, from those to the verdict of the task. Nothing is verified by silence. */
export function verdictsOf(evidence: Evidence): Verdicts {
  const deciding = decidingRows(evidence)
  const claims = evidence.claims.map((claim) =>
    claimResult(
      claim,
      deciding.filter(({ admission }) => admission.claim === claim.id),
      evidence,
    ),
  )
  const told = deciding.filter(({ admission }) => admission.split === 'feedback')
  return {
    verdict: taskVerdict(claims, evidence.findings),
    claims,
    failed: told.filter(({ row }) => row.result !== 'pass').length,
    of: told.length,
  }
}

/** Refuted if any claim is, otherwise unverifiable if any is (or there are none, or something was tampered with). */
function taskVerdict(claims: readonly ClaimResult[], findings: readonly Finding[]): Verdict {
  if (claims.some(({ verdict }) => verdict === 'refuted')) return 'refuted'
  const verified = claims.length > 0 && claims.every(({ verdict }) => verdict === 'verified')
  return verified && findings.length === 0 ? 'verified' : 'unverifiable'
}

/**
 * Behaviour and guard rows that admission found valid, of claims that the set can settle. A valid row without a result
 * is `missing`: whoever ran it lost it. Void and advisory rows and canaries never decide.
 */
function decidingRows(evidence: Evidence): readonly Deciding[] {
  const results = new Map(evidence.rows.map((row) => [row.row, row]))
  const given = new Set(evidence.unverifiable.map(({ claim }) => claim))
  return evidence.admissions
    .filter(({ state, role }) => state === 'valid' && (role === 'behaviour' || role === 'guard'))
    .filter(({ claim }) => claim !== undefined && !given.has(claim))
    .map((admission) => ({ admission, row: results.get(admission.row) ?? lost(admission) }))
}

function lost({ row, check, role }: RowAdmission): RowResult {
  return { row, check, role, result: 'missing', runs: [] }
}

function claimResult(claim: Claim, rows: readonly Deciding[], evidence: Evidence): ClaimResult {
  const about = {
    claim: claim.id,
    statement: claim.statement,
    spec_ref: claim.spec_ref,
    strength: strengthOf(claim, rows),
  }
  const unsettled = (
    missing: string,
    evidenceRows: readonly string[],
    gap: ClaimResult['gap'] = 'observability',
  ) => ({
    ...about,
    verdict: 'unverifiable' as const,
    evidence: [...evidenceRows],
    missing,
    gap,
  })
  const given = evidence.unverifiable.find((one) => one.claim === claim.id)
  if (given !== undefined) return unsettled(given.missing, [], given.gap)

  const refuting = rows.filter(({ row }) => row.result === 'fail' && !isCliffOfTheBox(row, evidence))
  if (refuting.length > 0) return { ...about, verdict: 'refuted', evidence: idsOf(refuting) }

  const cliffs = rows.filter(({ row }) => row.result === 'fail')
  if (cliffs.length > 0) {
    return unsettled(
      'base and output both hit the same limit of the box: a larger box, or a smaller input',
      idsOf(cliffs),
      'fixture',
    )
  }
  const unstable = rows.filter(({ row }) => row.result === 'unstable')
  if (unstable.length > 0) {
    return unsettled(whatIsUnstable(unstable), idsOf(unstable))
  }
  const missing = rows.filter(({ row }) => row.result !== 'pass')
  if (missing.length > 0) return unsettled(whatIsMissing(missing), idsOf(missing))

  const settling = rows.filter((one) => settles(claim, one))
  if (settling.length === 0) return unsettled(whatSettles(claim, rows), idsOf(rows), 'fixture')
  if (evidence.findings.length > 0) {
    return unsettled('a run without signs of tampering', [
      ...new Set(evidence.findings.map(({ kind }) => kind)),
    ])
  }
  return { ...about, verdict: 'verified', evidence: idsOf(rows) }
}

function whatIsUnstable(rows: readonly Deciding[]): string {
  for (const { row } of rows) {
    const difference = differenceOf(row)
    if (difference !== undefined) return `the same in all surroundings: ${row.row} ${difference}`
  }
  return 'a check that answers the same in every run: these passed in some runs and failed in others'
}

/**
 * A claim is as strong as the strongest row that carries it: a row beside it can only take a verdict away. One that
 * nothing carries rests on all of its rows.
 */
function strengthOf(claim: Claim, rows: readonly Deciding[]): ClaimResult['strength'] {
  const isIsolated = ({ admission }: Deciding) => admission.strength === undefined
  const carrying = rows.filter((one) => settles(claim, one))
  if (carrying.length > 0) return carrying.some(isIsolated) ? 'isolated' : 'in_process'
  return rows.every(isIsolated) ? 'isolated' : 'in_process'
}

function whatIsMissing(rows: readonly Deciding[]): string {
  const isUnanswered = rows.some(({ row }) => row.runs.some(({ unanswered }) => unanswered === true))
  return isUnanswered
    ? 'a judge that answers about these rows: it threw, hung or gave another answer than {pass, reason}'
    : 'the observations of these rows'
}

/**
 * A row that can carry `verified`: a behaviour that no trivial product shows; for a claim to keep something, also a guard
 * that not every trivial product passes.
 */
function settles(claim: Claim, { admission }: Deciding): boolean {
  return !admission.guessable && (admission.role === 'behaviour' || claim.kind === 'keep')
}

function whatSettles(claim: Claim, rows: readonly Deciding[]): string {
  if (claim.kind === 'keep') return 'a valid guard, or a valid behaviour check'
  return rows.some(({ admission }) => admission.role === 'behaviour')
    ? 'a behaviour check that a product which does nothing cannot pass'
    : 'a valid behaviour check: one that fails on base'
}

/**
 * The exception to "a limit refutes" (D11): failed in every run by a limit of the box (memory, output, disk, processes) that base hit in the same row: says
 * something of the box, not of the output. A `timeout` is the check's own time and an observation like any other.
 */
function isCliffOfTheBox(row: RowResult, { baseObservations }: Evidence): boolean {
  const base = Object.hasOwn(baseObservations, row.row) ? baseObservations[row.row] : undefined
  return (
    base?.outcome === 'limit' &&
    row.runs.length > 0 &&
    row.runs.every(({ observation }) => observation.outcome === 'limit' && observation.limit === base.limit)
  )
}

function idsOf(rows: readonly Deciding[]): string[] {
  return rows.map(({ row }) => row.row)
}
