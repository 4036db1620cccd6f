import type { Policy } from '../../specs/policy.ts'

/**
 * How often rows run at admission. Never less often than on an output: each run has surroundings of its own, and an
 * expectation that holds in the first ones only would make every right output unstable.
 */
export function admissionCounts(policy: Pick<Policy, 'admissionRuns' | 'trialRuns' | 'repeats'>): {
  readonly admissionRuns: number
  readonly trialRuns: number
} {
  const { admissionRuns, trialRuns, repeats } = policy
  return {
    admissionRuns: Math.max(admissionRuns, repeats),
    trialRuns: trialRuns === 0 ? 0 : Math.max(trialRuns, repeats),
  }
}
