import type { HoldCause } from '../../specs/decision.ts'
import { Fault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Policy } from '../../specs/policy.ts'
import { decide } from '../decide.ts'
import { exitCodeOfRun } from '../pure/report.ts'
import { evolve, initialState, type RunEnd, type RunState } from '../state.ts'

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
 * policy means the same for a change as for a run.
 * @returns the state of the finished run.
 */
export async function decideChange(policy: Policy, actions: ChangeActions): Promise<RunState> {
  const phase = { is: 'delivered' } as const
  let state: RunState = {
    ...initialState,
    policy,
    attempts: [{ attempt: 1, hearsFeedback: false, round: 1, phase, failures: 0 }],
  }
  while (state.end === undefined) {
    const decision = decide(state)
    state = evolve(state, { type: 'decided', decision })
    switch (decision.do) {
      case 'seal':
        state = evolve(state, await actions.seal())
        break
      case 'open':
        state = evolve(state, await actions.open())
        break
      case 'grade':
        state = evolve(state, await actions.grade())
        break
      case 'complete':
      case 'refute':
      case 'hold':
        break
      case 'start':
      case 'feedback':
      case 'stop':
      case 'wait':
        throw new Fault('bug/stuck', `a change cannot be decided: ${decision.do}`)
    }
  }
  return state
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
