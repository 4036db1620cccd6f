import type { Decision } from '../../specs/decision.ts'
import type { EventBody } from '../../specs/journal.ts'
import { ofGrading, ofInfrastructure, ofSealing, type FailedEvent } from '../pure/recorded-fault.ts'

type DecisionTo<T extends Decision['do']> = Extract<Decision, { do: T }>

/**
 * What decisions lead to. Each does its work and returns the outcome event; it throws `Fault('infra/…')` when the
 * infrastructure failed. `report` writes events on the way.
 */
export interface Actions {
  seal(report: (event: EventBody) => void, signal: AbortSignal): Promise<EventBody>
  start(attempt: number, round: number, signal: AbortSignal): Promise<EventBody>
  open(attempt: number, round: number, signal: AbortSignal): Promise<EventBody>
  grade(decision: DecisionTo<'grade'>, signal: AbortSignal): Promise<EventBody>
  feedback(decision: DecisionTo<'feedback'>, signal: AbortSignal): Promise<EventBody>
  compare(attempts: readonly number[], signal: AbortSignal): Promise<EventBody>
  merge(attempt: number, signal: AbortSignal): Promise<EventBody>
  regrade(decision: DecisionTo<'regrade'>, signal: AbortSignal): Promise<EventBody>
  commit(decision: DecisionTo<'commit'>, signal: AbortSignal): Promise<EventBody>
  land(decision: DecisionTo<'land'>, signal: AbortSignal): Promise<EventBody>
}

/** Work that a decision asks for. */
export interface DecidedWork {
  /** Two works of one lane are never under way together. */
  readonly lane: string
  readonly work: (signal: AbortSignal) => Promise<EventBody>
  /** The event that a fault is; undefined for a fault that ends the process. */
  readonly failed: FailedEvent
}

/** The lane of an attempt: what a decision to stop it ends. */
export function laneOf(attempt: number): string {
  return `attempt ${attempt}`
}

/** The work of a decision; undefined for those that end a run, and for `stop`, which ends the work of another. */
export function workOf(
  decision: Exclude<Decision, { do: 'wait' | 'stop' }>,
  actions: Actions,
  report: (event: EventBody) => void,
): DecidedWork | undefined {
  switch (decision.do) {
    case 'seal':
      return { lane: 'seal', work: (signal) => actions.seal(report, signal), failed: ofSealing }
    case 'start': {
      const { attempt, round } = decision
      return {
        lane: laneOf(attempt),
        work: (signal) => actions.start(attempt, round, signal),
        failed: ofInfrastructure((fault) => ({ type: 'work-failed', attempt, round, fault })),
      }
    }
    case 'open': {
      const { attempt, round } = decision
      return {
        lane: laneOf(attempt),
        work: (signal) => actions.open(attempt, round, signal),
        failed: ofInfrastructure((fault) => ({ type: 'open-failed', attempt, round, fault })),
      }
    }
    case 'grade': {
      const { attempt, round } = decision
      return {
        lane: laneOf(attempt),
        work: (signal) => actions.grade(decision, signal),
        failed: ofGrading((fault) => ({ type: 'grade-failed', attempt, round, fault })),
      }
    }
    case 'feedback': {
      const { attempt, round, failed, of } = decision
      return {
        lane: laneOf(attempt),
        work: (signal) => actions.feedback(decision, signal),
        // Its bits were counted with the intent, so a reply that could not be waited for counts as given.
        failed: ofInfrastructure(() => ({ type: 'feedback-given', attempt, round, failed, of })),
      }
    }
    case 'compare':
      return {
        lane: 'compare',
        work: (signal) => actions.compare(decision.attempts, signal),
        failed: ofGrading((fault) => ({ type: 'compare-failed', fault })),
      }
    case 'merge':
      return landing(decision.attempt, (signal) => actions.merge(decision.attempt, signal))
    case 'regrade':
      return landing(decision.attempt, (signal) => actions.regrade(decision, signal))
    case 'commit':
      return landing(decision.attempt, (signal) => actions.commit(decision, signal))
    case 'land':
      return landing(decision.attempt, (signal) => actions.land(decision, signal))
    case 'complete':
    case 'refute':
    case 'hold':
      return undefined
  }
}

function landing(attempt: number, work: DecidedWork['work']): DecidedWork {
  return { lane: 'landing', work, failed: ofGrading((fault) => ({ type: 'landing-failed', attempt, fault })) }
}
