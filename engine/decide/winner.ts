import type { Decision } from '../../specs/decision.ts'
import type { Policy } from '../../specs/policy.ts'
import type { RunState } from '../state/run-state.ts'
import type { AttemptState } from '../state/attempts.ts'
import { A_WORKING_ENGINE, isClean } from './holds.ts'

/** Rows 17–20: in a race `best` several clean outputs are compared before one of them wins. */
export function compareFirst(state: RunState, policy: Policy): Decision | undefined {
  if (policy.race !== 'best') return undefined
  const attempts = state.attempts
    .filter((attempt) => isClean(attempt, state, policy))
    .map(({ attempt }) => attempt)
  if (attempts.length < 2) return undefined
  const { comparison } = state
  switch (comparison.is) {
    case 'none':
      if (comparison.failures <= policy.infraRetries) return { do: 'compare', attempts }
      return { do: 'hold', cause: 'infrastructure', missing: comparison.fault ?? A_WORKING_ENGINE }
    case 'comparing':
      return { do: 'wait' }
    case 'differ': {
      const missing = `word on which is right: ${comparison.first}`
      return { do: 'hold', cause: 'race-differs', gap: 'spec', missing }
    }
    case 'silent': {
      const missing = 'scenarios that tell how outputs behave that differ'
      return { do: 'hold', cause: 'not-compared', gap: 'fixture', missing }
    }
    case 'agreed':
      return undefined
  }
}

/** Row 21: whose output it is. In a race `best` the smallest diff, else the lowest number. */
export function winnerOf(state: RunState, policy: Policy): AttemptState | undefined {
  const clean = state.attempts.filter((attempt) => isClean(attempt, state, policy))
  if (policy.race !== 'best') return clean[0]
  const { comparison } = state
  const chosen = comparison.is === 'agreed' ? comparison.chosen : undefined
  if (chosen !== undefined) return clean.find(({ attempt }) => attempt === chosen)
  return clean.toSorted((one, other) => sizeOf(one) - sizeOf(other) || one.attempt - other.attempt)[0]
}

function sizeOf({ diffLines }: AttemptState): number {
  return diffLines ?? Number.MAX_SAFE_INTEGER
}
