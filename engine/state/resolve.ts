import type { HoldCause } from '../../specs/decision.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { HoldDecision, RunState } from './run-state.ts'
import { changeAttempt, type AttemptState } from './attempts.ts'
import { NOT_COMPARED } from './comparison.ts'
import { NOT_LANDING } from './landing.ts'
import { NO_SEAL } from './seal.ts'

type Resolved = Extract<EventBody, { type: 'resolved' }>

/** Holds that a person can let pass: there is an output, and nothing says that it is wrong. */
const ACCEPTABLE: ReadonlySet<HoldCause> = new Set([
  'tampered',
  'dependencies',
  'landing-spent',
  'unverifiable',
  'strength',
  'runner-configuration',
  'no-guard',
  'race-differs',
  'not-compared',
  'protected-paths',
])

/** Whether `accept` means something for this hold. */
export function isAcceptable(cause: HoldCause): boolean {
  return ACCEPTABLE.has(cause)
}

/** Whether accepting has to say whose output it is to be. */
export function needsChoice(cause: HoldCause): boolean {
  return cause === 'race-differs' || cause === 'not-compared'
}

/**
 * What a person's answer makes of a held run. Accepting lets the one cause pass for the one attempt; retrying does again
 * what led to the hold; after a rejection nothing but the end is left. The answer decides nothing by itself: `decide` does.
 * @param state of the run, no longer held.
 */
export function resolve(
  state: RunState,
  hold: HoldDecision,
  { how, attempt = hold.attempt }: Resolved,
): RunState {
  if (how === 'reject') return { ...state, rejected: true }
  if (how === 'retry') return retried(state, hold)
  if (!isAcceptable(hold.cause)) return state
  if (needsChoice(hold.cause)) {
    return attempt === undefined ? state : { ...state, comparison: { is: 'agreed', chosen: attempt } }
  }
  if (hold.cause === 'landing-spent') return oneMoreAnswer(state)
  if (attempt === undefined) return state
  return changeAttempt(state, attempt, (one) => ({
    ...one,
    accepted: [...new Set([...one.accepted, hold.cause])].sort(),
  }))
}

function retried(state: RunState, { cause, attempt }: HoldDecision): RunState {
  switch (cause) {
    case 'not-sealed':
      return {
        ...state,
        seal: NO_SEAL,
        attempts: state.attempts.map(startedAgain).map(ungraded),
        comparison: NOT_COMPARED,
        ...(state.landing === undefined ? {} : { landing: NOT_LANDING }),
      }
    case 'nothing-delivered':
      return { ...state, attempts: state.attempts.map(startedAgain) }
    case 'infrastructure':
      return {
        ...state,
        seal: state.seal.is === 'none' ? NO_SEAL : state.seal,
        attempts: state.attempts.map(withoutFailures),
        comparison: state.comparison.is === 'none' ? NOT_COMPARED : state.comparison,
        landing: state.landing === undefined ? undefined : { ...state.landing, failures: 0 },
      }
    case 'tampered':
    case 'unverifiable':
    case 'strength':
    case 'runner-configuration':
    case 'no-guard':
      return again(state, attempt)
    case 'landing-spent':
      return oneMoreAnswer(state)
    case 'race-differs':
    case 'not-compared':
      return { ...state, comparison: NOT_COMPARED }
    case 'conflict':
    case 'merge-refuted':
    case 'target-moves':
    case 'protected-paths':
    case 'landing-refused':
      return { ...state, landing: NOT_LANDING }
    case 'dependencies':
      return state
  }
}

/** Its output is graded anew. In a landing it is the merged tree's grade that was in doubt: the landing begins anew. */
function again(state: RunState, attempt: number | undefined): RunState {
  if (attempt === undefined) return state
  const next = changeAttempt(state, attempt, (one) =>
    one.phase.is === 'graded'
      ? {
          ...one,
          phase: { is: 'opened' },
          isAskedAgain: true,
          failures: 0,
          accepted: one.accepted.filter((cause) => cause === 'dependencies'),
        }
      : one,
  )
  return {
    ...next,
    comparison: NOT_COMPARED,
    ...(state.landing === undefined ? {} : { landing: NOT_LANDING }),
  }
}

function oneMoreAnswer(state: RunState): RunState {
  return { ...state, landingAnswers: Math.max(0, state.landingAnswers - 1) }
}

function startedAgain(attempt: AttemptState): AttemptState {
  const isOver = attempt.phase.is === 'stopped'
  return { ...attempt, ...(isOver ? { phase: { is: 'idle' } as const } : {}), failures: 0 }
}

/** What a set said that cannot be used is worth nothing. */
function ungraded(attempt: AttemptState): AttemptState {
  return attempt.phase.is === 'graded' ? { ...attempt, phase: { is: 'opened' } } : attempt
}

function withoutFailures(attempt: AttemptState): AttemptState {
  return { ...attempt, failures: 0 }
}
