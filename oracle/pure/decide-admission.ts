import type { CheckSetDocument } from '../../specs/check-set.ts'
import type { Finding } from '../../specs/grade.ts'
import type { Observation } from '../../specs/observation.ts'
import type { Admission, RowAdmission, SpoiledCanaries, TrialResult } from '../../specs/seal.ts'
import { describeSurroundings, DIMENSIONS, PLAIN, type Dimension } from '../../specs/surroundings.ts'
import { claimStates, type ClaimState } from './admit-claims.ts'
import { admitRow, type RowEvidence } from './admit-row.ts'
import { judgeTrial, type JudgedTrial, type TrialEvidence, type VerdictsOf } from './admit-trials.ts'
import { placesOfRows } from './places.ts'
import { readable } from './readable.ts'

/** All that admission saw of a set. The decision can be taken again from it, more or less leniently. */
export interface AdmissionEvidence {
  readonly document: CheckSetDocument
  /** In the order of the document. */
  readonly rows: readonly RowEvidence[]
  /** Findings on base that belong to no row. */
  readonly findings: readonly Finding[]
  /** What a person should look at, see `suspicionsOf`. */
  readonly suspicions?: readonly string[]
  /** What stays plain for all rows because base says so, see `statedLimits`. */
  readonly limits?: readonly Dimension[]
  readonly trials: readonly TrialEvidence[]
  /** What base showed first, of every row that came back. */
  readonly baseObservations: Readonly<Record<string, Observation>>
  /** Of suites: canaries that are not planted, and files whose canaries assert nothing of the product. */
  readonly canaries?: { readonly spoiled: SpoiledCanaries; readonly ownOnly: readonly string[] }
}

const MAX_REASONS = 50

/**
 * Whether a set can be sealed.
 *
 * While its author may try again (`lenient` false), everything that is wrong goes back: every void behaviour, guard
 * and canary row, every claim without a row that can settle it, every trial that was not judged as its author said.
 *
 * When nobody can try again (`lenient` true), void rows are dropped with a flag, and a claim that is left without a
 * deciding row becomes unverifiable with what is missing. Never dropped is what shows that the set judges wrongly or
 * that base could not be trusted: a trial that it misjudges, a finding on base. Nor is a set sealed that can settle
 * no claim at all, unless its author said so of each.
 */
export function decideAdmission(
  evidence: AdmissionEvidence,
  options: { readonly lenient: boolean; readonly verdictsOf: VerdictsOf },
): Admission {
  const { document } = evidence
  const rows = evidence.rows.map(admitRow)
  const states = claimStates(document, rows)
  const settleable = new Set(states.filter(({ kind }) => kind === 'settleable').map(({ claim }) => claim))
  const trials = evidence.trials.map((trial) =>
    judgeTrial(trial, placeOfTrial(document, trial.trial.id), {
      document,
      rows,
      baseObservations: evidence.baseObservations,
      settleable,
      verdictsOf: options.verdictsOf,
    }),
  )
  const soft = [...voidProblems(document, rows), ...problemsOfClaims(states)]
  const isEmptyHanded =
    options.lenient && settleable.size === 0 && states.some(({ kind }) => kind === 'unsettled')
  const hard = [
    ...evidence.findings.map(({ kind, detail }) => `on base: ${kind}: ${readable(detail, 400)}`),
    ...problemsOfTrials(trials),
    ...(isEmptyHanded ? ['no claim can be settled'] : []),
  ]
  const reasons = options.lenient ? (hard.length === 0 ? [] : [...hard, ...soft]) : [...soft, ...hard]
  const results = trials.map(({ result }) => result)
  return {
    admitted: reasons.length === 0,
    reasons: capped(reasons),
    flags: [
      ...(options.lenient && reasons.length === 0 ? soft.map((problem) => `dropped: ${problem}`) : []),
      ...flagsOfRows(evidence, rows, results),
      ...flagsOfTrials(trials),
      ...(evidence.canaries?.ownOnly ?? []).map(flagOfCanary),
      ...(evidence.suspicions ?? []),
    ],
    rows: [...rows],
    trials: results,
    unverifiable: [
      ...document.unverifiable,
      ...states.flatMap((state) => (state.kind === 'unsettled' ? [state.unsettled] : [])),
    ],
  }
}

/** How many of its own trials a set judged as its author said, of those that were run: part of every report. */
export function countTrials(trials: readonly TrialResult[]): {
  readonly right: number
  readonly rightVerified: number
  readonly wrong: number
  readonly wrongRefuted: number
} {
  const ran = trials.filter(({ got }) => got !== 'not-run')
  const right = ran.filter(({ expect }) => expect === 'verified')
  const wrong = ran.filter(({ expect }) => expect === 'refuted')
  return {
    right: right.length,
    rightVerified: right.filter(({ got }) => got === 'verified').length,
    wrong: wrong.length,
    wrongRefuted: wrong.filter(({ got }) => got === 'refuted').length,
  }
}

function placeOfTrial(document: CheckSetDocument, id: string): string {
  return `trials[${document.trials.findIndex((trial) => trial.id === id)}] (${id})`
}

function capped(reasons: readonly string[]): string[] {
  const left = reasons.length - MAX_REASONS
  return left > 0 ? [...reasons.slice(0, MAX_REASONS), `and ${left} more`] : [...reasons]
}

/** An advisory never decides, so a void one is a flag and no more. */
function voidProblems(document: CheckSetDocument, rows: readonly RowAdmission[]): readonly string[] {
  return voidLines(
    document,
    rows.filter(({ role }) => role !== 'advisory'),
  )
}

function voidLines(document: CheckSetDocument, rows: readonly RowAdmission[]): readonly string[] {
  const places = placesOfRows(document)
  return rows
    .filter(({ state }) => state === 'void')
    .map(
      ({ row, role, reason, detail }) =>
        `${places.get(row) ?? row}: ${role} is void, ${reason ?? ''}: ${detail ?? ''}`,
    )
}

function problemsOfClaims(states: readonly ClaimState[]): readonly string[] {
  return states.flatMap((state) => (state.kind === 'unsettled' ? [state.problem] : []))
}

function problemsOfTrials(trials: readonly JudgedTrial[]): readonly string[] {
  return trials.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
}

function flagsOfRows(
  { document, baseObservations, rows: seen, limits = [] }: AdmissionEvidence,
  rows: readonly RowAdmission[],
  trials: readonly TrialResult[],
): readonly string[] {
  const valid = rows.filter(({ state }) => state === 'valid')
  const validIds = new Set(valid.map(({ row }) => row))
  const rightOnes = trials.filter(({ expect, got }) => expect === 'verified' && got === 'verified')
  const unproven = valid.filter(
    ({ row, missingOnBase }) => missingOnBase && !rightOnes.some(({ failed }) => !failed.includes(row)),
  )
  return [
    ...(valid.some(({ role }) => role === 'guard')
      ? []
      : ['no valid guard: harm beside the request would go unseen']),
    ...valid
      .filter(({ guessable }) => guessable)
      .map(({ row, role }) =>
        role === 'guard'
          ? `${row} is vacuous: every product that does next to nothing passes it, so it upholds no claim`
          : `${row} is guessable: a product that does next to nothing passes it`,
      ),
    ...limits.map(
      (one) =>
        `base rules out any other case, so all rows are tried in one only: ${describeSurroundings(PLAIN, [one])}`,
    ),
    ...flagsOfPins(valid, limits),
    ...seen
      .filter(({ isTooLongToChange = false, rule: { row } }) => isTooLongToChange && validIds.has(row))
      .map(({ rule: { row } }) => `${row} shows too much on base to be tried with changed observations`),
    ...unproven.map(
      ({ row, detail }) =>
        `${row} fails on base only because something is missing there, and no right trial passes it (${detail ?? ''})`,
    ),
    ...valid
      .filter(
        ({ row }) => Object.hasOwn(baseObservations, row) && baseObservations[row]?.outcome === 'timeout',
      )
      .map(({ row }) => `${row} runs into its time limit on base`),
    ...voidLines(
      document,
      rows.filter(({ role }) => role === 'advisory'),
    ),
  ]
}

function flagOfCanary(file: string): string {
  const rest = 'a product whose values equal everything passes it; a check of role canary would tell'
  return `${file}: no test of it can be contradicted, so its canary asserts nothing of the product: ${rest}`
}

/** One line for each dimension that rows depend on by nature. */
function flagsOfPins(rows: readonly RowAdmission[], limits: readonly Dimension[]): readonly string[] {
  return DIMENSIONS.filter((dimension) => !limits.includes(dimension)).flatMap((dimension) => {
    const pinned = rows.filter((row) => row.pinned?.includes(dimension) === true)
    if (pinned.length === 0) return []
    const shown = pinned
      .slice(0, 5)
      .map(({ row }) => row)
      .join(', ')
    const more = pinned.length > 5 ? ` and ${pinned.length - 5} more` : ''
    const beside = pinned.some(({ strength }) => strength === 'in_process')
      ? ', all of its suite with it'
      : ''
    return [
      `${shown}${more}: varies by nature, so tried in one case only${beside}: ${describeSurroundings(PLAIN, [dimension])}`,
    ]
  })
}

function flagsOfTrials(trials: readonly JudgedTrial[]): readonly string[] {
  const has = (expect: TrialResult['expect']) => trials.some(({ result }) => result.expect === expect)
  return [
    ...(has('verified')
      ? []
      : ['no trial that ought to be verified: the expectations were never met by any change']),
    ...(has('refuted') ? [] : ['no trial that ought to be refuted: nothing shows what the set catches']),
    ...(trials.some(({ result }) => result.got === 'not-run')
      ? ['the trials were not run: the policy asks for no runs of them']
      : []),
    ...trials.flatMap(({ flag }) => (flag === undefined ? [] : [flag])),
  ]
}
