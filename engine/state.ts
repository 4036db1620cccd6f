import type { Decision, Gap } from '../specs/decision.ts'
import type { EventBody } from '../specs/journal.ts'
import type { Policy } from '../specs/policy.ts'

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
  readonly end: RunEnd | undefined
}

export type SealState =
  | { readonly is: 'none'; readonly failures: number; readonly fault?: string }
  | { readonly is: 'sealing'; readonly failures: number }
  | { readonly is: 'sealed'; readonly hasGuard: boolean; readonly hasLanding: boolean }
  | { readonly is: 'refused'; readonly gap: Gap; readonly reasons: readonly string[] }

/** What is known of an output once it was graded. */
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

/** Where an attempt stands in its round. */
export type AttemptPhase =
  | { readonly is: 'idle' }
  | { readonly is: 'working' }
  | { readonly is: 'delivered' }
  | { readonly is: 'opening' }
  | { readonly is: 'gate-refused'; readonly why: string }
  | { readonly is: 'opened'; readonly dependencies: DependencyState }
  | { readonly is: 'grading'; readonly dependencies: DependencyState }
  | { readonly is: 'graded'; readonly grade: GradeFacts }
  | { readonly is: 'hearing'; readonly grade: GradeFacts }
  | { readonly is: 'stopping' }
  | { readonly is: 'stopped' }

export type DependencyState = 'unchanged' | 'satisfied' | 'missing'

export interface AttemptState {
  readonly attempt: number
  readonly hearsFeedback: boolean
  /** 1 from the first start on. */
  readonly round: number
  readonly phase: AttemptPhase
  /** Infrastructure failures in the step that the attempt is at now. */
  readonly failures: number
  readonly fault?: string
}

export type RunEnd =
  | { readonly outcome: 'completed'; readonly attempt: number }
  | { readonly outcome: 'refuted' }
  | { readonly outcome: 'held'; readonly decision: Extract<Decision, { do: 'hold' }> }

export const initialState: RunState = {
  policy: undefined,
  seal: { is: 'none', failures: 0 },
  attempts: [],
  bitsSpent: 0,
  landingAnswers: 0,
  end: undefined,
}

/** log2(n + 1): how much a worker can learn from one `k of n` (D16). */
export function feedbackBits(of: number): number {
  return Math.log2(of + 1)
}

/** The state after one more event. A finished run stays finished, whatever comes. */
export function evolve(state: RunState, event: EventBody): RunState {
  if (state.end !== undefined) return state
  switch (event.type) {
    case 'run-started':
      return {
        ...initialState,
        policy: event.policy,
        attempts: event.attempts.map(({ attempt, hearsFeedback }) => ({
          attempt,
          hearsFeedback,
          round: 1,
          phase: { is: 'idle' },
          failures: 0,
        })),
      }
    case 'decided':
      return underWay(state, event.decision)
    case 'oracle-tried':
      return state
    case 'sealed':
      return {
        ...state,
        seal: { is: 'sealed', hasGuard: event.hasGuard, hasLanding: event.landing !== undefined },
      }
    case 'not-sealed':
      return { ...state, seal: { is: 'refused', gap: event.gap, reasons: event.reasons } }
    case 'seal-failed': {
      const failures = (state.seal.is === 'sealing' ? state.seal.failures : 0) + 1
      return { ...state, seal: { is: 'none', failures, fault: event.fault.message } }
    }
    case 'delivered':
      return step(state, event.attempt, { is: 'delivered' })
    case 'work-failed':
      return failed(state, event.attempt, { is: 'idle' }, event.fault.message)
    case 'opened': {
      if (event.gate.kind === 'refused') {
        const [first] = event.gate.refusals
        const why =
          first === undefined
            ? 'refused'
            : [first.path, first.reason, first.detail].filter((part) => part !== '').join(': ')
        return step(state, event.attempt, { is: 'gate-refused', why })
      }
      const change = event.dependencies
      const dependencies =
        change.kind !== 'changed' ? 'unchanged' : change.satisfied ? 'satisfied' : 'missing'
      return step(state, event.attempt, { is: 'opened', dependencies })
    }
    case 'open-failed':
      return failed(state, event.attempt, { is: 'delivered' }, event.fault.message)
    case 'graded': {
      const next = step(state, event.attempt, { is: 'graded', grade: factsOf(event) })
      const isAnswer = state.seal.is === 'sealed' && state.seal.hasLanding && event.failed === 0
      return isAnswer ? { ...next, landingAnswers: state.landingAnswers + 1 } : next
    }
    case 'grade-failed': {
      const next = patch(state, event.attempt, (attempt) => ({
        ...attempt,
        phase:
          attempt.phase.is === 'grading'
            ? { is: 'opened', dependencies: attempt.phase.dependencies }
            : attempt.phase,
        failures: attempt.failures + 1,
        fault: event.fault.message,
      }))
      // The set itself turned out to be unusable: it grades nobody, and says nothing of any attempt.
      if (!event.fault.code.startsWith('oracle/')) return next
      return { ...next, seal: { is: 'refused', gap: 'spec', reasons: [event.fault.message] } }
    }
    case 'feedback-given':
      return patch(state, event.attempt, (attempt) => ({
        ...attempt,
        round: attempt.round + 1,
        phase: { is: 'idle' },
        failures: 0,
      }))
    case 'stopped':
      return step(state, event.attempt, { is: 'stopped' })
    case 'resumed':
      return {
        ...state,
        seal: state.seal.is === 'sealing' ? { is: 'none', failures: state.seal.failures } : state.seal,
        attempts: state.attempts.map(backOnResume),
      }
  }
}

function factsOf(event: Extract<EventBody, { type: 'graded' }>): GradeFacts {
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

/** The fold of a whole journal. */
export function fold(events: Iterable<EventBody>): RunState {
  let state = initialState
  for (const event of events) state = evolve(state, event)
  return state
}

function underWay(state: RunState, decision: Decision): RunState {
  switch (decision.do) {
    case 'seal':
      return {
        ...state,
        seal: { is: 'sealing', failures: state.seal.is === 'none' ? state.seal.failures : 0 },
      }
    case 'start':
      return setPhase(state, decision.attempt, () => ({ is: 'working' }))
    case 'open':
      return setPhase(state, decision.attempt, () => ({ is: 'opening' }))
    case 'grade':
      return setPhase(state, decision.attempt, (phase) =>
        phase.is === 'opened' ? { is: 'grading', dependencies: phase.dependencies } : phase,
      )
    case 'feedback': {
      const next = setPhase(state, decision.attempt, (phase) =>
        phase.is === 'graded' ? { is: 'hearing', grade: phase.grade } : phase,
      )
      // Counted when the intent is written: a crash in between must not make a reply free.
      return { ...next, bitsSpent: state.bitsSpent + decision.bits }
    }
    case 'stop':
      return setPhase(state, decision.attempt, () => ({ is: 'stopping' }))
    case 'complete':
      return { ...state, end: { outcome: 'completed', attempt: decision.attempt } }
    case 'refute':
      return { ...state, end: { outcome: 'refuted' } }
    case 'hold':
      return { ...state, end: { outcome: 'held', decision } }
    case 'wait':
      return state
  }
}

/** A resumed run does again what was under way. Feedback whose intent was written counts as heard. */
function backOnResume(attempt: AttemptState): AttemptState {
  if (attempt.phase.is === 'hearing')
    return { ...attempt, round: attempt.round + 1, phase: { is: 'idle' }, failures: 0 }
  return { ...attempt, phase: backFrom(attempt.phase) }
}

function backFrom(phase: AttemptPhase): AttemptPhase {
  switch (phase.is) {
    case 'working':
      return { is: 'idle' }
    case 'opening':
      return { is: 'delivered' }
    case 'grading':
      return { is: 'opened', dependencies: phase.dependencies }
    case 'stopping':
      return { is: 'stopped' }
    case 'idle':
    case 'delivered':
    case 'gate-refused':
    case 'opened':
    case 'graded':
    case 'hearing':
    case 'stopped':
      return phase
  }
}

function patch(state: RunState, attempt: number, change: (attempt: AttemptState) => AttemptState): RunState {
  return {
    ...state,
    // Whatever a stopped attempt still reports is too late.
    attempts: state.attempts.map((one) =>
      one.attempt === attempt && one.phase.is !== 'stopped' ? change(one) : one,
    ),
  }
}

function setPhase(state: RunState, attempt: number, to: (phase: AttemptPhase) => AttemptPhase): RunState {
  return patch(state, attempt, (one) => ({ ...one, phase: to(one.phase) }))
}

function step(state: RunState, attempt: number, phase: AttemptPhase): RunState {
  return patch(state, attempt, (one) =>
    one.phase.is === 'stopping' && phase.is !== 'stopped' ? one : { ...one, phase, failures: 0 },
  )
}

function failed(state: RunState, attempt: number, back: AttemptPhase, fault: string): RunState {
  return patch(state, attempt, (one) =>
    one.phase.is === 'stopping' ? one : { ...one, phase: back, failures: one.failures + 1, fault },
  )
}
