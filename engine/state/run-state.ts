import type { Decision, HoldCause } from '../../specs/decision.ts'
import type { Policy } from '../../specs/policy.ts'
import type { AttemptState } from './attempts.ts'
import { NOT_COMPARED, type ComparisonState } from './comparison.ts'
import type { LandingState } from './landing.ts'
import { NO_SEAL, type SealState } from './seal.ts'

/**
 * The state of a run: the fold of its journal. `evolve` is pure and total, so replaying a journal anywhere gives the
 * same states, and `decide` (decide.ts) the same decisions.
 *
 * A `decided` event marks its work as under way; the outcome event takes it on. An infrastructure failure puts the work
 * back to where it was and counts; `resumed` puts all work that was under way back without counting.
 */
export interface RunState {
  /** Absent before `run-started`. */
  readonly policy: Policy | undefined
  readonly seal: SealState
  readonly attempts: readonly AttemptState[]
  /** Bits of feedback given so far, over all attempts. */
  readonly bitsSpent: number
  /** Outputs that failed no feedback check, so that the landing checks alone said yes or no. */
  readonly landingAnswers: number
  /** Of the verified outputs of a race `best`. */
  readonly comparison: ComparisonState
  /** Absent where nothing lands. */
  readonly landing: LandingState | undefined
  /** A person rejected what was held: nothing but the end is left. */
  readonly rejected: boolean
  readonly end: RunEnd | undefined
}

/** `held` waits for a person; the other two are for ever. */
export type RunEnd =
  | {
      readonly outcome: 'completed'
      readonly attempt: number
      /** What a person let pass. */
      readonly accepted?: readonly HoldCause[]
      /** The commit that the branch has now; absent where nothing was to land. */
      readonly landed?: string
    }
  | { readonly outcome: 'refuted'; readonly by?: 'person' }
  | { readonly outcome: 'held'; readonly decision: HoldDecision }

export type HoldDecision = Extract<Decision, { do: 'hold' }>

export const initialState: RunState = {
  policy: undefined,
  seal: NO_SEAL,
  attempts: [],
  bitsSpent: 0,
  landingAnswers: 0,
  comparison: NOT_COMPARED,
  landing: undefined,
  rejected: false,
  end: undefined,
}
