import { canonicalJson } from '../../specs/digest.ts'
import type { Finding } from '../../specs/grade.ts'
import type { Observation } from '../../specs/observation.ts'
import type { RowAdmission } from '../../specs/seal.ts'
import type { Dimension } from '../../specs/surroundings.ts'
import { missingOn } from './missing.ts'
import { readable, showObservation } from './readable.ts'
import type { RowRuns } from './row-runs.ts'

/** Why a row is void, by name. */
export type VoidReason =
  /** A behaviour that base already shows. */
  | 'already-passes-on-base'
  /** A guard that base itself does not pass. */
  | 'fails-on-base'
  /** A canary whose expectation base meets. */
  | 'canary-passes'
  /** A canary whose expectation a product could meet by doing next to nothing. */
  | 'plausible-canary'
  /** Passed in some runs on base and failed in others. */
  | 'unstable'
  /** Base returned in one run, and threw, hung or crashed in another. */
  | 'unstable-observation'
  /** Base showed what no seal can hold. */
  | 'unsealable-observation'
  /** Its judge answers about nothing: it does not load, throws or hangs whatever it is given. */
  | 'judge-silent'
  /** A guard whose expectation nothing fails, whatever a product shows. */
  | 'tautological'
  /** Its judge says yes to whatever it is shown, or to all but what base showed. */
  | 'judge-accepts-everything'
  /** Not every run came back, or something was wrong with one. */
  | 'incomplete'

export interface RowEvidence extends RowRuns {
  /** Runs that were asked for. */
  readonly times: number
  /** Findings about this row. */
  readonly findings: readonly Finding[]
  /** Names of the trivial products that pass it. */
  readonly passedByTrivial: readonly string[]
  /** A guard that every trivial product passes. */
  readonly isVacuous?: boolean
  /** What a product might have shown instead (see `perturbed`): how many of those it passes. */
  readonly passedPerturbed?: { readonly passed: number; readonly of: number }
  /** What base showed is too long to be changed in many ways, so this row was not tried so. */
  readonly isTooLongToChange?: boolean
  /** Its judge gave no answer at all, neither about base nor about a trivial product. */
  readonly isJudgeSilent: boolean
  /** Dimensions of the surroundings that it depends on by nature, and that its runs keep plain. */
  readonly pinned?: readonly Dimension[]
}

interface Voided {
  readonly reason: VoidReason
  readonly detail: string
}

/**
 * Whether one row is valid, from what base showed. Rows whose runs disagree are never valid.
 *
 * A behaviour fails each time, a guard passes each time, a canary fails each time and cannot be met by doing nothing,
 * an advisory only has to be stable.
 */
export function admitRow(evidence: RowEvidence): RowAdmission {
  const { rule, runs, passedByTrivial, isVacuous = false, pinned = [] } = evidence
  const { row, check, claim, role, split } = rule
  const voided =
    incomplete(evidence) ??
    unstable(evidence) ??
    unsealable(evidence) ??
    silent(evidence) ??
    wrongOnBase(evidence) ??
    indiscriminate(evidence)
  const missing = role === 'behaviour' && voided === undefined ? missingInAll(runs) : undefined
  const detail = voided?.detail ?? (missing === undefined ? undefined : `missing on base: ${missing}`)
  return {
    row,
    check,
    ...(claim === undefined ? {} : { claim }),
    role,
    split,
    state: voided === undefined ? 'valid' : 'void',
    ...(voided === undefined ? {} : { reason: voided.reason }),
    ...(detail === undefined ? {} : { detail }),
    guessable: role === 'behaviour' ? passedByTrivial.length > 0 : role === 'guard' && isVacuous,
    missingOnBase: missing !== undefined,
    ...(pinned.length === 0 ? {} : { pinned: [...pinned] }),
    ...(rule.strength === undefined ? {} : { strength: rule.strength }),
  }
}

function incomplete({ runs, times, findings }: RowEvidence): Voided | undefined {
  const finding = findings[0]
  if (finding !== undefined) {
    return { reason: 'incomplete', detail: `${finding.kind} on base: ${readable(finding.detail, 400)}` }
  }
  if (runs.length === times && times > 0) return undefined
  return { reason: 'incomplete', detail: `${runs.length} of ${times} runs on base came back` }
}

function unstable({ runs }: RowEvidence): Voided | undefined {
  const passed = runs.filter(({ pass }) => pass).length
  if (passed !== 0 && passed !== runs.length) {
    const failed = runs.findIndex(({ pass }) => !pass)
    return {
      reason: 'unstable',
      detail: `passes in ${passed} of ${runs.length} runs on base; ${mismatchOf(runs, failed)}`,
    }
  }
  const first = runs[0]?.observation
  const other = runs.findIndex(({ observation }) => observation.outcome !== first?.outcome)
  const second = runs[other]?.observation
  if (first === undefined || second === undefined) return undefined
  return {
    reason: 'unstable-observation',
    detail: `base does not end the same way each time: run 1 ${showObservation(first)}; run ${other + 1} ${showObservation(second)}`,
  }
}

/** What base showed is sealed, so it must have a canonical form; text cut inside a surrogate pair has none. */
function unsealable({ runs }: RowEvidence): Voided | undefined {
  const odd = runs.find(({ observation }) => !hasCanonicalForm(observation))
  if (odd === undefined) return undefined
  return {
    reason: 'unsealable-observation',
    detail: `base shows half a surrogate pair (${showObservation(odd.observation)}); have the scenario give its code units as numbers`,
  }
}

/** Silence fails on base and on every output alike: it would refute whatever it is asked about. */
function silent({ isJudgeSilent, rule, runs }: RowEvidence): Voided | undefined {
  if (!isJudgeSilent) return undefined
  return {
    reason: 'judge-silent',
    detail: `${rule.judge ?? 'its judge'} answers about nothing; ${mismatchOf(runs, 0)}`,
  }
}

function hasCanonicalForm(observation: Observation): boolean {
  try {
    return canonicalJson(observation) !== ''
  } catch {
    return false
  }
}

/** Called with runs that agree. */
function wrongOnBase({ rule, runs, passedByTrivial }: RowEvidence): Voided | undefined {
  const passes = runs.every(({ pass }) => pass)
  const seen = runs[0] === undefined ? 'nothing' : showObservation(runs[0].observation)
  switch (rule.role) {
    case 'behaviour':
      if (!passes) return undefined
      return {
        reason: 'already-passes-on-base',
        detail: `base already does this (observed ${seen}); what base already meets is a guard`,
      }
    case 'guard':
      if (passes) return undefined
      return {
        reason: 'fails-on-base',
        detail: `base itself fails it; ${mismatchOf(runs, 0)}; what the request changes is a behaviour, what base does is asBase`,
      }
    case 'canary':
      if (passes) {
        return {
          reason: 'canary-passes',
          detail: `base meets it (observed ${seen}); expected a value nobody can produce`,
        }
      }
      if (passedByTrivial.length === 0) return undefined
      return {
        reason: 'plausible-canary',
        detail: `a product that gives ${passedByTrivial.join(', ')} meets it; expected a value nobody can produce`,
      }
    case 'advisory':
      return undefined
  }
}

/** Called with a row that is right on base, so a behaviour's judge did say no once. */
function indiscriminate({ rule, passedPerturbed }: RowEvidence): Voided | undefined {
  if (passedPerturbed === undefined || passedPerturbed.of === 0) return undefined
  const { passed, of } = passedPerturbed
  if (passed < of) return undefined
  const but = rule.role === 'behaviour' ? 'all but what base shows' : 'whatever it is shown'
  if (rule.judge !== undefined) {
    return {
      reason: 'judge-accepts-everything',
      detail: `${rule.judge} says yes to ${but}: to ${of} of ${of} changed observations, a hang and a crash among them`,
    }
  }
  if (rule.role !== 'guard') return undefined
  return {
    reason: 'tautological',
    detail: `nothing fails it: ${of} of ${of} changed observations pass, a hang and a crash among them`,
  }
}

function mismatchOf(runs: RowEvidence['runs'], index: number): string {
  const run = runs[index]
  if (run === undefined) return 'no run'
  const what = run.mismatch ?? `observed ${showObservation(run.observation)}`
  return `in run ${index + 1} of ${runs.length}: ${readable(what, 1000)}`
}

function missingInAll(runs: RowEvidence['runs']): string | undefined {
  const missing = runs.map(({ observation }) => missingOn(observation))
  return missing.includes(undefined) ? undefined : missing[0]
}
