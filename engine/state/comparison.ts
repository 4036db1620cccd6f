import type { EventBody } from '../../specs/journal.ts'

/** Of the verified outputs of a race `best`, on fresh scenarios. */
export type ComparisonState =
  | { readonly is: 'none'; readonly failures: number; readonly fault?: string }
  | { readonly is: 'comparing'; readonly failures: number }
  /** `chosen`: a person said whose output it is to be. */
  | { readonly is: 'agreed'; readonly chosen?: number }
  | { readonly is: 'differ'; readonly first: string }
  /** Different trees, and nothing that could tell them apart: silence is no agreement. */
  | { readonly is: 'silent' }

export const NOT_COMPARED: ComparisonState = { is: 'none', failures: 0 }

/** What an outcome of comparing makes of it. */
export function evolveComparison(
  comparison: ComparisonState,
  event: Extract<EventBody, { type: 'compared' | 'compare-failed' }>,
): ComparisonState {
  if (event.type === 'compare-failed') {
    const failures = (comparison.is === 'comparing' ? comparison.failures : 0) + 1
    return { is: 'none', failures, fault: event.fault.message }
  }
  if (event.differences > 0) return { is: 'differ', first: event.first ?? 'an input' }
  return event.trees > 1 && event.scenarios === 0 ? { is: 'silent' } : { is: 'agreed' }
}
