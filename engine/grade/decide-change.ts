import type { HoldCause } from '../../specs/decision.ts'
import { Fault, isRetryable, toFault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Policy } from '../../specs/policy.ts'
import { decide } from '../decide.ts'
import { recordedFault, type RecordedFault } from '../pure/recorded-fault.ts'
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
 * policy means the same for a change as for a run. An engine that failed is asked again, as often as in a run; then the
 * change is held.
 * @returns the state of the finished run.
 * @throws Fault that is no failure of the infrastructure, from an action.
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
        state = evolve(
          state,
          await orFailed(
            () => actions.seal(),
            (fault) => ({ type: 'seal-failed', fault }),
          ),
        )
        break
      case 'open':
        state = evolve(
          state,
          await orFailed(
            () => actions.open(),
            (fault) => ({ type: 'open-failed', ...AT, fault }),
          ),
        )
        break
      case 'grade':
        state = evolve(
          state,
          await orFailed(
            () => actions.grade(),
            (fault) => ({ type: 'grade-failed', ...AT, fault }),
          ),
        )
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

/** The one attempt. */
const AT = { attempt: 1, round: 1 } as const

/** What an action gave, or the event of an infrastructure that failed it. */
async function orFailed(
  act: () => Promise<EventBody>,
  failed: (fault: RecordedFault) => EventBody,
): Promise<EventBody> {
  try {
    return await act()
  } catch (error) {
    const fault = toFault(error)
    if (!isRetryable(fault.code)) throw error
    return failed(recordedFault(fault))
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
