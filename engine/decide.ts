import type { Decision } from '../specs/decision.ts'
import type { Policy } from '../specs/policy.ts'
import { isUnderWay, nextStep, stopAll } from './decide/attempts.ts'
import { A_WORKING_ENGINE, holdOf, isClean, isRefuted } from './decide/holds.ts'
import { land } from './decide/landing.ts'
import { compareFirst, winnerOf } from './decide/winner.ts'
import type { RunState } from './state.ts'

/**
 * What to do next (D23: nothing completes by silence). Pure and total: no clock, no randomness, no I/O; equal states give equal decisions. The rows are
 * the ones of `specs/decide.md`, in the same order; the first that applies decides. The parts are in `decide/`.
 */
export function decide(state: RunState): Decision {
  const { policy } = state
  if (policy === undefined || state.end !== undefined) return { do: 'wait' }
  return (
    afterRejection(state) ??
    sealFirst(state, policy) ??
    withoutSeal(state) ??
    endRace(state, policy) ??
    nextStep(state, policy) ??
    conclude(state, policy) ?? { do: 'wait' }
  )
}

/** Rows 2–4: a person said no. */
function afterRejection(state: RunState): Decision | undefined {
  if (!state.rejected) return undefined
  return stopAll(state, 'lost') ?? { do: 'refute', by: 'person' }
}

/** Row 5: ask for the seal, again while retries last. */
function sealFirst({ seal }: RunState, policy: Policy): Decision | undefined {
  if (seal.is !== 'none' || seal.failures > policy.infraRetries) return undefined
  return { do: 'seal' }
}

/** Rows 6–9: there will be no seal, so nothing can come of any attempt. */
function withoutSeal(state: RunState): Decision | undefined {
  const { seal } = state
  if (seal.is === 'sealing' || seal.is === 'sealed') return undefined
  const ending = stopAll(state, 'not-sealed')
  if (ending !== undefined) return ending
  if (seal.is === 'refused') {
    const missing = seal.reasons[0] ?? 'a check set that admission accepts'
    return { do: 'hold', cause: 'not-sealed', gap: seal.gap, missing }
  }
  return { do: 'hold', cause: 'infrastructure', missing: seal.fault ?? A_WORKING_ENGINE }
}

/** Rows 10–12: with a winner, a `first` race stops the others and finishes. */
function endRace(state: RunState, policy: Policy): Decision | undefined {
  if (policy.race !== 'first') return undefined
  const winner = state.attempts.find((attempt) => isClean(attempt, state, policy))
  if (winner === undefined) return undefined
  return stopAll(state, 'lost') ?? land(winner, state, policy)
}

/** Rows 17–31: once every attempt is at its end. */
function conclude(state: RunState, policy: Policy): Decision | undefined {
  if (state.seal.is !== 'sealed' || state.attempts.some(isUnderWay)) return undefined
  const comparing = compareFirst(state, policy)
  if (comparing !== undefined) return comparing
  const winner = winnerOf(state, policy)
  if (winner !== undefined) return land(winner, state, policy)
  for (const attempt of state.attempts) {
    const held = holdOf(attempt, state, policy)
    if (held !== undefined) return held
  }
  if (state.attempts.some((attempt) => isRefuted(attempt))) return { do: 'refute' }
  return { do: 'hold', cause: 'nothing-delivered', missing: 'an attempt' }
}
