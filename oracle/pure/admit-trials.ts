import type { CheckSetDocument, Claim, Trial } from '../../specs/check-set.ts'
import type { ClaimResult, Finding, RowResult, Verdict } from '../../specs/grade.ts'
import type { Observation } from '../../specs/observation.ts'
import type { RowAdmission, TrialResult } from '../../specs/seal.ts'
import { readable } from './readable.ts'

/** From rows to verdicts, as every grade does it; the grader has it. */
export type VerdictsOf = (evidence: {
  readonly claims: readonly Claim[]
  readonly unverifiable: CheckSetDocument['unverifiable']
  readonly admissions: readonly RowAdmission[]
  readonly rows: readonly RowResult[]
  readonly baseObservations: Readonly<Record<string, Observation>>
  readonly findings: readonly Finding[]
}) => { readonly claims: readonly Pick<ClaimResult, 'claim' | 'verdict'>[] }

/** What became of one of the author's trials. */
export type TrialEvidence =
  | { readonly kind: 'does-not-apply'; readonly trial: Trial; readonly why: string }
  | { readonly kind: 'changes-nothing'; readonly trial: Trial }
  /** It applies; the policy wants no trial to be run. */
  | { readonly kind: 'not-run'; readonly trial: Trial }
  | {
      readonly kind: 'run'
      readonly trial: Trial
      readonly rows: readonly RowResult[]
      readonly findings: readonly Finding[]
    }

export interface JudgedTrial {
  readonly result: TrialResult
  /** Why the set cannot be sealed like this. */
  readonly problem?: string
  readonly flag?: string
}

/**
 * One trial's verdict over the claims that the set can settle: a claim that it cannot settle would keep every trial
 * from being verified and would say nothing about the rows.
 */
export function judgeTrial(
  evidence: TrialEvidence,
  place: string,
  context: {
    readonly document: CheckSetDocument
    readonly rows: readonly RowAdmission[]
    readonly baseObservations: Readonly<Record<string, Observation>>
    /** Ids of the claims that the set can settle. */
    readonly settleable: ReadonlySet<string>
    readonly verdictsOf: VerdictsOf
  },
): JudgedTrial {
  const { id, expect, why } = evidence.trial
  if (evidence.kind === 'not-run') return { result: { id, expect, got: 'not-run', failed: [] } }
  if (evidence.kind !== 'run') {
    const problem =
      evidence.kind === 'changes-nothing'
        ? 'changes nothing: expected a diff against base'
        : `does not apply to base: ${readable(evidence.why, 400)}`
    return {
      result: { id, expect, got: 'does-not-apply', failed: [] },
      problem: `${place}: ${evidence.trial.diff} ${problem}`,
    }
  }
  const { claims } = context.verdictsOf({
    claims: context.document.claims,
    unverifiable: context.document.unverifiable,
    admissions: context.rows,
    rows: evidence.rows,
    baseObservations: context.baseObservations,
    findings: evidence.findings,
  })
  const got = settledVerdict(claims, context.settleable, evidence.findings)
  const failed = evidence.rows.filter(isDecidingFailure)
  const result = { id, expect, got, failed: failed.map(({ row }) => row) }
  if (got === expect) return { result }
  if (expect === 'verified') {
    return {
      result,
      problem: `${place}: ought to be verified but is ${got}${blame(failed, evidence.findings)}`,
    }
  }
  const aim = why === undefined ? '' : ` (${readable(why, 200)})`
  return got === 'verified'
    ? {
        result,
        problem: `${place}: ought to be refuted${aim} but is verified: no row tells it from a right change`,
      }
    : { result, flag: `${place}: ought to be refuted${aim} but is ${got}${blame(failed, evidence.findings)}` }
}

function settledVerdict(
  claims: readonly Pick<ClaimResult, 'claim' | 'verdict'>[],
  settleable: ReadonlySet<string>,
  findings: readonly Finding[],
): Verdict {
  if (claims.some(({ verdict }) => verdict === 'refuted')) return 'refuted'
  const settled = claims.filter(({ claim }) => settleable.has(claim))
  const isVerified = settled.length > 0 && settled.every(({ verdict }) => verdict === 'verified')
  return isVerified && findings.length === 0 ? 'verified' : 'unverifiable'
}

function isDecidingFailure({ role, result }: RowResult): boolean {
  return result !== 'pass' && (role === 'behaviour' || role === 'guard')
}

function blame(failed: readonly RowResult[], findings: readonly Finding[]): string {
  const rows = failed.map(({ row, result, runs }) => {
    const mismatch = runs.find(({ pass }) => !pass)?.mismatch
    return `${row} ${result === 'fail' ? 'fails' : result}${mismatch === undefined ? '' : ` (${readable(mismatch, 400)})`}`
  })
  const all = [...rows, ...findings.map(({ kind, detail }) => `${kind}: ${readable(detail, 200)}`)]
  if (all.length === 0) return ''
  const shown = all.slice(0, 5).join('; ')
  return `: ${shown}${all.length > 5 ? `; and ${all.length - 5} more` : ''}`
}
