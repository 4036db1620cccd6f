import { countTrials } from '../../oracle/pure/decide-admission.ts'
import type { Gap, HoldCause } from '../../specs/decision.ts'
import { Fault } from '../../specs/fault.ts'
import type { BaseSource } from '../../specs/task.ts'
import type { Grade } from '../../specs/grade.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import type { Seal } from '../../specs/seal.ts'
import { fold, type RunEnd, type RunState } from '../state.ts'
import type { AttemptState } from '../state/attempts.ts'

/** Everything that a person or a program wants to know of a run, as one JSON document. */
export interface Report {
  readonly run: string
  readonly task: string
  readonly title: string
  readonly base: string
  readonly baseTree: string
  readonly image: string
  readonly seal: SealReport | undefined
  /** Why there is no usable set: all of it. */
  readonly notSealed?: { readonly reasons: readonly string[]; readonly gap: Gap }
  readonly attempts: readonly AttemptReport[]
  /** Absent where nothing was to land. */
  readonly landing?: LandingReport
  /** What people answered to holds, in order. */
  readonly resolved: readonly ResolvedReport[]
  readonly outcome: RunEnd | undefined
  readonly verdict: 'verified' | 'refuted' | 'unverifiable' | 'unfinished'
  readonly exitCode: number
}

export interface SealReport {
  readonly seal: string
  readonly author: string
  readonly claims: number
  readonly valid: number
  readonly void: readonly { readonly row: string; readonly reason: string }[]
  readonly guessable: readonly string[]
  /** Of the author's own wrong trials: refuted ones. One that could not be settled is not refused. */
  readonly wrongTrials: { readonly refused: number; readonly of: number }
  readonly flags: readonly string[]
}

export interface AttemptReport {
  readonly attempt: number
  readonly label: string
  readonly rounds: number
  readonly state: string
  readonly why?: string
  readonly tree?: string
  readonly grade?: Grade
  readonly notes: readonly string[]
  /** How its last round ended, and the digest of what it printed (in `blobs/` of the record). Absent of a patch. */
  readonly worked?: { readonly end: string; readonly log: string }
}

export interface LandingReport {
  readonly repository: string
  readonly branch: string
  /** The commit that landed. */
  readonly commit?: string
  /** Absent before the first merge: what the branch was at, last. */
  readonly tip?: string
  /** How often it had moved under a commit of ours. */
  readonly moves: number
}

export interface ResolvedReport {
  readonly how: 'accept' | 'reject' | 'retry'
  readonly cause: HoldCause
  readonly reason: string
  readonly by: string
  readonly at: string
}

/** What a finished run exits with; of an unfinished one 130. */
export function exitCodeOfRun(end: RunEnd | undefined): number {
  if (end === undefined) return 130
  if (end.outcome === 'completed') return 0
  if (end.outcome === 'refuted') return 1
  return end.decision.cause === 'infrastructure' ? 4 : 3
}

/**
 * Builds the report of a run from its journal.
 * @param grades the grades that the journal names, by digest.
 */
export function reportOf(
  lines: readonly JournalLine[],
  seal: Seal | undefined,
  grades: ReadonlyMap<string, Grade>,
): Report {
  const events = lines.map(({ body }) => body)
  const state = fold(events)
  const first = events[0]
  if (first?.type !== 'run-started') throw new Fault('config/journal', 'a journal begins with run-started')
  const last = lastGrades(events, grades)
  return {
    run: first.run,
    task: first.task.id,
    title: first.task.title ?? first.task.id,
    base: describeBase(first.task.base),
    baseTree: first.base,
    image: `${first.images.product.name} (${first.images.product.id.slice(0, 19)})`,
    seal: seal === undefined ? undefined : sealReport(seal),
    ...(state.seal.is === 'refused'
      ? { notSealed: { reasons: state.seal.reasons, gap: state.seal.gap } }
      : {}),
    attempts: state.attempts.map((attempt) =>
      attemptReport(
        attempt,
        first.attempts.find((one) => one.attempt === attempt.attempt)?.label ?? '',
        events,
        last,
      ),
    ),
    ...landingReport(events, state),
    resolved: lines.flatMap(({ at, body }) =>
      body.type === 'resolved'
        ? [{ how: body.how, cause: body.cause, reason: body.reason, by: body.by, at }]
        : [],
    ),
    outcome: state.end,
    verdict: verdictOf(state),
    exitCode: exitCodeOfRun(state.end),
  }
}

/** A base in a few words. */
export function describeBase(base: BaseSource): string {
  switch (base.from) {
    case 'npm':
      return `npm ${base.package}@${base.version}`
    case 'git':
      return `git ${base.repository} ${base.revision}`
    case 'directory':
      return `directory ${base.path}`
    case 'tar':
      return `tar ${base.path}`
    case 'image':
      return `image path ${base.path}`
  }
}

/** The verdict of a run, from its state. What a person accepted though no check settles it is no more verified for that. */
export function verdictOf({ end }: RunState): Report['verdict'] {
  if (end === undefined) return 'unfinished'
  if (end.outcome === 'completed')
    return end.accepted?.some(isUnsettled) === true ? 'unverifiable' : 'verified'
  return end.outcome === 'refuted' ? 'refuted' : 'unverifiable'
}

function isUnsettled(cause: HoldCause): boolean {
  return cause === 'unverifiable' || cause === 'tampered'
}

function landingReport(events: readonly EventBody[], { landing, end }: RunState): Pick<Report, 'landing'> {
  const [first] = events
  if (first?.type !== 'run-started' || first.landing === undefined || landing === undefined) return {}
  const { repository, branch } = first.landing
  const merged = events.findLast((event) => event.type === 'merged' || event.type === 'merge-conflict')
  const commit = end?.outcome === 'completed' ? end.landed : undefined
  const tip = merged === undefined ? {} : { tip: merged.tip }
  return {
    landing: {
      repository,
      branch,
      ...tip,
      moves: landing.moves,
      ...(commit === undefined ? {} : { commit }),
    },
  }
}

function sealReport({ seal, manifest, admission }: Seal): SealReport {
  const trials = countTrials(admission.trials)
  return {
    seal,
    author: manifest.author,
    claims: manifest.claims.length,
    valid: manifest.rows.filter(({ state }) => state === 'valid').length,
    void: manifest.rows
      .filter(({ state }) => state === 'void')
      .map(({ row, reason, detail }) => ({ row, reason: detail ?? reason ?? 'void' })),
    guessable: manifest.rows.filter(({ guessable }) => guessable).map(({ row }) => row),
    wrongTrials: { refused: trials.wrongRefuted, of: trials.wrong },
    flags: admission.flags,
  }
}

function lastGrades(
  events: readonly EventBody[],
  grades: ReadonlyMap<string, Grade>,
): ReadonlyMap<number, Grade> {
  const last = new Map<number, Grade>()
  for (const event of events) {
    if (event.type !== 'graded' && event.type !== 'regraded') continue
    const grade = grades.get(event.grade)
    if (grade !== undefined) last.set(event.attempt, grade)
  }
  return last
}

function attemptReport(
  { attempt, round, phase, fault }: AttemptState,
  label: string,
  events: readonly EventBody[],
  grades: ReadonlyMap<number, Grade>,
): AttemptReport {
  const opened = events.findLast((event) => event.type === 'opened' && event.attempt === attempt)
  const tree = opened?.type === 'opened' ? opened.tree : undefined
  const grade = grades.get(attempt)
  const notes = opened?.type === 'opened' ? notesOf(opened) : []
  const worked = workedOf(events, attempt)
  const base = {
    attempt,
    label,
    rounds: round,
    notes,
    ...(tree === undefined ? {} : { tree }),
    ...(worked === undefined ? {} : { worked }),
  }
  const graded = grade === undefined ? {} : { grade }
  switch (phase.is) {
    case 'graded':
      return { ...base, ...graded, state: phase.grade.findings > 0 ? 'tampered' : phase.grade.verdict }
    case 'gate-refused':
      return { ...base, state: 'refused', why: phase.why }
    case 'opened':
      return { ...base, state: 'held', why: fault ?? 'what would be installed changed' }
    default:
      return { ...base, ...graded, state: phase.is, ...(fault === undefined ? {} : { why: fault }) }
  }
}

function workedOf(events: readonly EventBody[], attempt: number): AttemptReport['worked'] {
  const delivered = events.findLast((event) => event.type === 'delivered' && event.attempt === attempt)
  if (delivered?.type !== 'delivered' || delivered.log === undefined) return undefined
  return { end: deliveryText(delivered.end), log: delivered.log }
}

/** How a worker's round ended, in a few words. */
export function deliveryText(end: Extract<EventBody, { type: 'delivered' }>['end']): string {
  switch (end.kind) {
    case 'exited':
      return `exit ${end.code}`
    case 'timeout':
      return 'out of time'
    case 'limit':
      return `over the limit of ${end.limit}`
    case 'patch':
      return 'a patch file'
  }
}

/** What a person should know of an output though the gate let it through. */
function notesOf({ dependencies, ignored, notes = [] }: Extract<EventBody, { type: 'opened' }>): string[] {
  const ofManifests =
    dependencies.kind === 'none' ? [] : [`manifest or lockfile changed: ${dependencies.paths.join(', ')}`]
  const shown = ignored.slice(0, MOST_IGNORED).join(', ')
  const more = ignored.length > MOST_IGNORED ? ` and ${ignored.length - MOST_IGNORED} more` : ''
  const leftOut = ignored.length === 0 ? [] : [`left out, as base ignores it: ${shown}${more}`]
  return [...ofManifests, ...leftOut, ...notes.map(({ path, note }) => `${path}: ${NOTE_TEXTS[note]}`)]
}

/** Ignored paths that a report names; the journal has more. */
const MOST_IGNORED = 5

const NOTE_TEXTS = {
  'new-symlink': 'is a symbolic link now',
  'became-executable': 'can be executed now',
  'large-file': 'is larger than 1 MiB',
  'invisible-characters': 'has invisible characters in its name',
} as const
