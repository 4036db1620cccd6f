import type { Decision } from '../../specs/decision.ts'
import type { EventBody } from '../../specs/journal.ts'
import { dependencyStateOf, factsOf, type DependencyState, type GradeFacts } from './facts.ts'

/** How often landing began, and how often the infrastructure failed in its present step. */
interface Counted {
  /** Times that the branch had moved under a commit of ours. */
  readonly moves: number
  readonly failures: number
  readonly fault?: string
}

/** The winner's output merged with what the branch was. */
export interface Merged {
  readonly tip: string
  /** Of the whole repository: what lands. */
  readonly tree: string
  /** What is graded: it, or the folder of it that base is. */
  readonly graded: string
  readonly refused?: string
  readonly dependencies: DependencyState
  readonly changed: number
  readonly protected: readonly string[]
}

/** Where a landing stands. `merging`, `regrading`, `committing` and `landing` are under way. */
export type LandingState =
  | ({ readonly is: 'idle' | 'merging' } & Counted)
  | ({ readonly is: 'conflict'; readonly paths: readonly string[] } & Counted)
  | ({ readonly is: 'merged' | 'regrading'; readonly merged: Merged } & Counted)
  | ({
      readonly is: 'regraded' | 'committing'
      readonly merged: Merged
      readonly grade?: GradeFacts
    } & Counted)
  | ({ readonly is: 'committed' | 'landing'; readonly merged: Merged; readonly commit: string } & Counted)
  | ({ readonly is: 'refused'; readonly why: string } & Counted)
  | ({ readonly is: 'landed'; readonly commit: string } & Counted)

export const NOT_LANDING: LandingState = { is: 'idle', moves: 0, failures: 0 }

type LandingEvent =
  | Extract<
      EventBody,
      {
        type:
          | 'merged'
          | 'merge-conflict'
          | 'regraded'
          | 'committed'
          | 'landed'
          | 'target-moved'
          | 'land-refused'
          | 'landing-failed'
      }
    >
  | {
      readonly type: 'decided'
      readonly decision: Extract<Decision, { do: 'merge' | 'regrade' | 'commit' | 'land' }>
    }

/** What a decision to land, or its outcome, makes of it. */
export function evolveLanding(
  landing: LandingState | undefined,
  event: LandingEvent,
): LandingState | undefined {
  if (landing === undefined) return undefined
  const { moves } = landing
  const again = { moves, failures: 0 }
  switch (event.type) {
    case 'decided':
      return begun(landing, event.decision)
    case 'merged':
      return { ...again, is: 'merged', merged: mergedOf(event) }
    case 'merge-conflict':
      return { ...again, is: 'conflict', paths: event.paths }
    case 'regraded':
      return landing.is === 'regrading'
        ? { ...again, is: 'regraded', merged: landing.merged, grade: factsOf(event) }
        : landing
    case 'committed':
      return landing.is === 'committing'
        ? { ...again, is: 'committed', merged: landing.merged, commit: event.commit }
        : landing
    case 'landed':
      return { ...again, is: 'landed', commit: event.commit }
    case 'target-moved':
      return { is: 'idle', moves: moves + 1, failures: 0 }
    case 'land-refused':
      return { ...again, is: 'refused', why: event.why }
    case 'landing-failed':
      return { ...back(landing), failures: landing.failures + 1, fault: event.fault.message }
  }
}

function begun(
  landing: LandingState,
  decision: Extract<Decision, { do: 'merge' | 'regrade' | 'commit' | 'land' }>,
): LandingState {
  switch (decision.do) {
    case 'merge':
      return landing.is === 'idle' ? { ...landing, is: 'merging' } : landing
    case 'regrade':
      return landing.is === 'merged' ? { ...landing, is: 'regrading' } : landing
    case 'commit':
      return landing.is === 'merged' || landing.is === 'regraded' ? { ...landing, is: 'committing' } : landing
    case 'land':
      return landing.is === 'committed' ? { ...landing, is: 'landing' } : landing
  }
}

/** What was under way is as before it began. */
function back(landing: LandingState): LandingState {
  switch (landing.is) {
    case 'merging':
      return { ...landing, is: 'idle' }
    case 'regrading':
      return { ...landing, is: 'merged' }
    case 'committing':
      return { ...landing, is: landing.grade === undefined ? 'merged' : 'regraded' }
    case 'landing':
      return { ...landing, is: 'committed' }
    default:
      return landing
  }
}

/** A resumed run does again what was under way; whether a commit has landed by then is what the branch says. */
export function landingOnResume(landing: LandingState | undefined): LandingState | undefined {
  return landing === undefined ? undefined : back(landing)
}

function mergedOf(event: Extract<EventBody, { type: 'merged' }>): Merged {
  const { tip, tree, graded, gate, dependencies, changed } = event
  const [first] = gate.kind === 'refused' ? gate.refusals : []
  return {
    tip,
    tree,
    graded,
    ...(gate.kind === 'passed'
      ? {}
      : { refused: first === undefined ? 'refused' : `${first.path}: ${first.reason}` }),
    dependencies: dependencyStateOf(dependencies),
    changed,
    protected: event.protected ?? [],
  }
}
