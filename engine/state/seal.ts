import type { Gap } from '../../specs/decision.ts'
import type { EventBody } from '../../specs/journal.ts'

export type SealState =
  | { readonly is: 'none'; readonly failures: number; readonly fault?: string }
  | { readonly is: 'sealing'; readonly failures: number }
  | { readonly is: 'sealed'; readonly hasGuard: boolean; readonly hasLanding: boolean }
  | { readonly is: 'refused'; readonly gap: Gap; readonly reasons: readonly string[] }

export const NO_SEAL: SealState = { is: 'none', failures: 0 }

/** What an outcome of sealing makes of it. */
export function evolveSeal(
  seal: SealState,
  event: Extract<EventBody, { type: 'sealed' | 'not-sealed' | 'seal-failed' }>,
): SealState {
  switch (event.type) {
    case 'sealed':
      return { is: 'sealed', hasGuard: event.hasGuard, hasLanding: event.landing !== undefined }
    case 'not-sealed':
      return { is: 'refused', gap: event.gap, reasons: event.reasons }
    case 'seal-failed': {
      const failures = (seal.is === 'sealing' ? seal.failures : 0) + 1
      return { is: 'none', failures, fault: event.fault.message }
    }
  }
}
