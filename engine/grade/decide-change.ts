import type { Decision, HoldCause } from '../../specs/decision.ts'
import { Fault, toFault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Policy } from '../../specs/policy.ts'
import { decide } from '../decide.ts'
import { ofGrading, ofInfrastructure, ofSealing, type FailedEvent } from '../pure/recorded-fault.ts'
import { exitCodeOfRun } from '../pure/report.ts'
import { evolve, initialState, type RunEnd, type RunState } from '../state.ts'
import { attemptsAtStart } from '../state/attempts.ts'

type EventOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>

/** How a change was decided, as of a run: what is held is `unverifiable`. */
export interface ChangeOutcome {
  readonly verdict: 'verified' | 'refuted' | 'unverifiable'
  readonly heldFor?: HoldCause
  /** What is missing, of what is held. */
  readonly missing?: string
  readonly exitCode: number
}

/** What is done when `decide()` asks for it; each gives the event that a run would write. */
export interface ChangeActions {
  seal(): Promise<EventOf<'sealed'> | EventOf<'not-sealed'>>
  open(): Promise<EventOf<'opened'>>
  grade(): Promise<EventOf<'graded'>>
}

/**
 * A run in memory with one attempt whose output is there already: the same fold and the same `decide()`, so that a
 * policy means the same for a change as for a run. An engine that failed is asked again, as often as in a run; then the
 * change is held.
 * @returns the state of the finished run.
 * @throws Fault that is no failure of the infrastructure, from an action.
 */
export async function decideChange(policy: Policy, actions: ChangeActions): Promise<RunState> {
  let state: RunState = {
    ...initialState,
    policy,
    attempts: attemptsAtStart([{ attempt: 1, hearsFeedback: false }]).map((attempt) => ({
      ...attempt,
      phase: { is: 'delivered' },
    })),
  }
  while (state.end === undefined) {
    const decision = decide(state)
    state = evolve(state, { type: 'decided', decision })
    const event = await act(decision, actions)
    if (event !== undefined) state = evolve(state, event)
  }
  return state
}

/** The one attempt. */
const AT = { attempt: 1, round: 1 } as const

/** What a decision leads to; nothing once the run is at its end. */
async function act({ do: what }: Decision, actions: ChangeActions): Promise<EventBody | undefined> {
  switch (what) {
    case 'seal':
      return orFailed(actions.seal(), ofSealing)
    case 'open':
      return orFailed(
        actions.open(),
        ofInfrastructure((fault) => ({ type: 'open-failed', ...AT, fault })),
      )
    case 'grade':
      return orFailed(
        actions.grade(),
        ofGrading((fault) => ({ type: 'grade-failed', ...AT, fault })),
      )
    case 'complete':
    case 'refute':
    case 'hold':
      return undefined
    case 'start':
    case 'feedback':
    case 'stop':
    case 'compare':
    case 'merge':
    case 'regrade':
    case 'commit':
    case 'land':
    case 'wait':
      throw new Fault('bug/stuck', `a change cannot be decided: ${what}`)
  }
}

/** What an action gave, or the event of a fault that the run goes on after. */
async function orFailed(outcome: Promise<EventBody>, failed: FailedEvent): Promise<EventBody> {
  try {
    return await outcome
  } catch (error) {
    const event = failed(toFault(error))
    if (event === undefined) throw error
    return event
  }
}

/** Verdict and exit code of a finished run, as `assay run` gives them. */
export function outcomeOf(end: RunEnd | undefined): ChangeOutcome {
  const exitCode = exitCodeOfRun(end)
  if (end?.outcome === 'completed') return { verdict: 'verified', exitCode }
  if (end?.outcome === 'refuted') return { verdict: 'refuted', exitCode }
  if (end === undefined) return { verdict: 'unverifiable', exitCode }
  const { cause, missing } = end.decision
  return { verdict: 'unverifiable', heldFor: cause, missing, exitCode }
}
