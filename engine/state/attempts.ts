import type { HoldCause } from '../../specs/decision.ts'
import type { DependencyState, GradeFacts } from './facts.ts'

/** Where an attempt stands in its round. */
export type AttemptPhase =
  | { readonly is: 'idle' }
  | { readonly is: 'working' }
  | { readonly is: 'delivered' }
  | { readonly is: 'opening' }
  | { readonly is: 'gate-refused'; readonly why: string }
  | { readonly is: 'opened' }
  | { readonly is: 'grading' }
  | { readonly is: 'graded'; readonly grade: GradeFacts }
  | { readonly is: 'hearing'; readonly grade: GradeFacts }
  | { readonly is: 'stopping' }
  | { readonly is: 'stopped' }

export interface AttemptState {
  readonly attempt: number
  readonly hearsFeedback: boolean
  /** 1 from the first start on. */
  readonly round: number
  readonly phase: AttemptPhase
  /** Of its last output that passed the gate. */
  readonly dependencies: DependencyState
  /** Its last output that passed the gate. */
  readonly tree?: string
  /** Lines that its diff adds and removes. */
  readonly diffLines?: number
  /** Its time is over: it gets no further round after this one. */
  readonly isSpent: boolean
  /** What of it a person accepted. */
  readonly accepted: readonly HoldCause[]
  /** A person asked that it be graded anew, whatever was graded before. */
  readonly isAskedAgain: boolean
  /** Infrastructure failures in the step that the attempt is at now. */
  readonly failures: number
  readonly fault?: string
}

interface WithAttempts {
  readonly attempts: readonly AttemptState[]
}

export function attemptsAtStart(
  given: readonly { readonly attempt: number; readonly hearsFeedback: boolean }[],
): readonly AttemptState[] {
  return given.map(({ attempt, hearsFeedback }) => ({
    attempt,
    hearsFeedback,
    round: 1,
    phase: { is: 'idle' },
    dependencies: 'unchanged',
    isSpent: false,
    accepted: [],
    isAskedAgain: false,
    failures: 0,
  }))
}

/** Whatever a stopped attempt still reports is too late. */
export function changeAttempt<S extends WithAttempts>(
  state: S,
  attempt: number,
  change: (attempt: AttemptState) => AttemptState,
): S {
  return {
    ...state,
    attempts: state.attempts.map((one) =>
      one.attempt === attempt && one.phase.is !== 'stopped' ? change(one) : one,
    ),
  }
}

export function setPhase<S extends WithAttempts>(
  state: S,
  attempt: number,
  to: (phase: AttemptPhase) => AttemptPhase,
): S {
  return changeAttempt(state, attempt, (one) => ({ ...one, phase: to(one.phase) }))
}

/** A step came to its outcome. One that is being stopped takes nothing else any more. */
export function didStep<S extends WithAttempts>(state: S, attempt: number, phase: AttemptPhase): S {
  return changeAttempt(state, attempt, (one) =>
    one.phase.is === 'stopping' && phase.is !== 'stopped'
      ? one
      : { ...one, phase, failures: 0, isAskedAgain: phase.is === 'graded' ? false : one.isAskedAgain },
  )
}

/** A step failed by the infrastructure: back to where it began, counted. */
export function failedStep<S extends WithAttempts>(
  state: S,
  attempt: number,
  back: AttemptPhase,
  fault: string,
): S {
  return changeAttempt(state, attempt, (one) =>
    one.phase.is === 'stopping' ? one : { ...one, phase: back, failures: one.failures + 1, fault },
  )
}

/** The next round may begin. */
export function afterFeedback(attempt: AttemptState): AttemptState {
  return { ...attempt, round: attempt.round + 1, phase: { is: 'idle' }, failures: 0 }
}

/** A resumed run does again what was under way. Feedback whose intent was written counts as heard. */
export function backOnResume(attempt: AttemptState): AttemptState {
  if (attempt.phase.is === 'hearing') return afterFeedback(attempt)
  return { ...attempt, phase: backFrom(attempt.phase) }
}

function backFrom(phase: AttemptPhase): AttemptPhase {
  switch (phase.is) {
    case 'working':
      return { is: 'idle' }
    case 'opening':
      return { is: 'delivered' }
    case 'grading':
      return { is: 'opened' }
    case 'stopping':
      return { is: 'stopped' }
    case 'idle':
    case 'delivered':
    case 'gate-refused':
    case 'opened':
    case 'graded':
    case 'hearing':
    case 'stopped':
      return phase
  }
}
