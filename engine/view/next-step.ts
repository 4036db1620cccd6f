import type { HoldCause } from '../../specs/decision.ts'

/** What a person can run next about what is held; empty where what is missing says so itself. */
export function nextStep(cause: HoldCause | undefined): string {
  return cause === 'infrastructure' ? '; `assay doctor` says what is wrong with the engine' : ''
}
