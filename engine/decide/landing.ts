import type { Decision } from '../../specs/decision.ts'
import { DEFAULT_LANDING_TRIES, type Policy } from '../../specs/policy.ts'
import type { RunState } from '../state/run-state.ts'
import type { AttemptState } from '../state/attempts.ts'
import type { LandingState, Merged } from '../state/landing.ts'
import { A_WORKING_ENGINE, dependenciesHold, gradeHold, mayInstall } from './holds.ts'

/** Rows L1–L18: the winner lands where the run has a branch to land on, and completes. */
export function land(winner: AttemptState, state: RunState, policy: Policy): Decision {
  const { landing } = state
  if (landing === undefined) return completed(winner)
  if (landing.failures > policy.infraRetries) {
    return hold(winner, 'infrastructure', landing.fault ?? A_WORKING_ENGINE)
  }
  switch (landing.is) {
    case 'idle':
      return isMovedTooOften(landing, policy)
        ? hold(winner, 'target-moves', 'a branch that stays where it is while a tree is graded')
        : { do: 'merge', attempt: winner.attempt }
    case 'conflict':
      return hold(winner, 'conflict', `a merge of ${landing.paths.join(', ')}`)
    case 'merged':
      return afterMerge(winner, landing.merged, state, policy)
    case 'regraded':
      return afterRegrade(winner, landing, state, policy)
    case 'committed': {
      const { commit, merged } = landing
      return { do: 'land', attempt: winner.attempt, commit, tip: merged.tip }
    }
    case 'refused':
      return hold(winner, 'landing-refused', `a repository that takes the commit: ${landing.why}`)
    case 'landed':
      return completed(winner)
    case 'merging':
    case 'regrading':
    case 'committing':
    case 'landing':
      return { do: 'wait' }
  }
}

/** What was graded lands as it is; what became another tree by merging is graded first. */
function afterMerge(winner: AttemptState, merged: Merged, state: RunState, policy: Policy): Decision {
  const { attempt, accepted } = winner
  if (merged.refused !== undefined) {
    return hold(winner, 'merge-refuted', `a merged tree that passes the gate: ${merged.refused}`)
  }
  if (merged.changed === 0) return completed(winner)
  if (merged.protected.length > 0 && !accepted.includes('protected-paths')) {
    return hold(winner, 'protected-paths', `leave to change ${merged.protected.join(', ')}`)
  }
  if (merged.graded === winner.tree) return { do: 'commit', attempt, tree: merged.tree, tip: merged.tip }
  if (!accepted.includes('dependencies') && !mayInstall(merged.dependencies, policy)) {
    return dependenciesHold(attempt)
  }
  return { do: 'regrade', attempt, tree: merged.graded }
}

function afterRegrade(
  winner: AttemptState,
  landing: Extract<LandingState, { is: 'regraded' | 'committing' }>,
  state: RunState,
  policy: Policy,
): Decision {
  const { grade, merged } = landing
  if (grade === undefined) return { do: 'wait' }
  const held = gradeHold(winner, grade, state, policy)
  if (held !== undefined) return held
  if (grade.verdict === 'refuted') {
    const missing = `an output that stands with what landed meanwhile: ${grade.failed} of ${grade.of} checks fail on tree ${merged.graded}`
    return hold(winner, 'merge-refuted', missing)
  }
  return { do: 'commit', attempt: winner.attempt, tree: merged.tree, tip: merged.tip }
}

function isMovedTooOften({ moves }: LandingState, policy: Policy): boolean {
  return moves >= (policy.landingTries ?? DEFAULT_LANDING_TRIES)
}

function hold(
  { attempt }: AttemptState,
  cause: Extract<Decision, { do: 'hold' }>['cause'],
  missing: string,
): Decision {
  return { do: 'hold', cause, attempt, missing }
}

function completed({ attempt, accepted }: AttemptState): Decision {
  return { do: 'complete', attempt, ...(accepted.length === 0 ? {} : { accepted: [...accepted] }) }
}
