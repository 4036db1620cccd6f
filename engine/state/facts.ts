import type { Gap } from '../../specs/decision.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { SealState } from './seal.ts'

/** What is known of a tree once it was graded. */
export interface GradeFacts {
  readonly verdict: 'verified' | 'refuted' | 'unverifiable'
  readonly findings: number
  readonly firstFinding?: string
  readonly failed: number
  readonly of: number
  readonly strength: 'isolated' | 'in_process'
  /** Paths that configure a test runner and were changed. */
  readonly configuration?: readonly string[]
  readonly gap?: Gap
  readonly missing?: string
}

/** What of a grade decisions look at. */
export function factsOf(event: Extract<EventBody, { type: 'graded' | 'regraded' }>): GradeFacts {
  const { verdict, findings, firstFinding, failed, of, strength, configuration, gap, missing } = event
  return {
    verdict,
    findings,
    failed,
    of,
    strength,
    ...(firstFinding === undefined ? {} : { firstFinding }),
    ...(configuration === undefined ? {} : { configuration }),
    ...(gap === undefined ? {} : { gap }),
    ...(missing === undefined ? {} : { missing }),
  }
}

/** Whether the landing checks alone said yes or no: no check for feedback failed. */
export function isLandingAnswer(seal: SealState, { failed }: { readonly failed: number }): boolean {
  return seal.is === 'sealed' && seal.hasLanding && failed === 0
}

export type DependencyState = 'unchanged' | 'satisfied' | 'missing'

/** What a tree does to what is installed, as far as decisions look at it. */
export function dependencyStateOf(
  change: Extract<EventBody, { type: 'opened' | 'merged' }>['dependencies'],
): DependencyState {
  if (change.kind !== 'changed') return 'unchanged'
  return change.satisfied ? 'satisfied' : 'missing'
}
