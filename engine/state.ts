import type { Decision } from '../specs/decision.ts'
import type { EventBody } from '../specs/journal.ts'
import {
  afterFeedback,
  attemptsAtStart,
  backOnResume,
  changeAttempt,
  didStep,
  failedStep,
  setPhase,
} from './state/attempts.ts'
import { dependencyStateOf, factsOf, isLandingAnswer } from './state/facts.ts'
import { evolveLanding, landingOnResume, NOT_LANDING } from './state/landing.ts'
import { evolveComparison, NOT_COMPARED, type ComparisonState } from './state/comparison.ts'
import { initialState, type RunState } from './state/run-state.ts'
import { evolveSeal } from './state/seal.ts'
import { resolve } from './state/resolve.ts'

export { initialState, type RunState } from './state/run-state.ts'
export type { RunEnd } from './state/run-state.ts'

/** The fold of a whole journal. */
export function fold(events: Iterable<EventBody>): RunState {
  let state = initialState
  for (const event of events) state = evolve(state, event)
  return state
}

/** The state after one more event. A finished run stays finished, whatever comes; a held one goes on when it is resolved. */
export function evolve(state: RunState, event: EventBody): RunState {
  if (state.end !== undefined) {
    const isAnswer = event.type === 'resolved' && state.end.outcome === 'held'
    return isAnswer ? resolve({ ...state, end: undefined }, state.end.decision, event) : state
  }
  switch (event.type) {
    case 'run-started':
      return {
        ...initialState,
        policy: event.policy,
        attempts: attemptsAtStart(event.attempts),
        ...(event.landing === undefined ? {} : { landing: NOT_LANDING }),
      }
    case 'decided':
      return underWay(state, event.decision)
    case 'oracle-tried':
    case 'resolved':
      return state
    case 'sealed':
    case 'not-sealed':
    case 'seal-failed':
      return { ...state, seal: evolveSeal(state.seal, event) }
    case 'delivered':
      return changeAttempt(didStep(state, event.attempt, { is: 'delivered' }), event.attempt, (attempt) =>
        event.spent === undefined ? attempt : { ...attempt, isSpent: true },
      )
    case 'work-failed':
      return failedStep(state, event.attempt, { is: 'idle' }, event.fault.message)
    case 'opened':
      return opened(state, event)
    case 'open-failed':
      return failedStep(state, event.attempt, { is: 'delivered' }, event.fault.message)
    case 'graded': {
      const next = didStep(state, event.attempt, { is: 'graded', grade: factsOf(event) })
      return isLandingAnswer(state.seal, event) ? { ...next, landingAnswers: state.landingAnswers + 1 } : next
    }
    case 'grade-failed':
      return unusableSet(failedStep(state, event.attempt, { is: 'opened' }, event.fault.message), event.fault)
    case 'feedback-given':
      return changeAttempt(state, event.attempt, afterFeedback)
    case 'stopped':
      return didStep(state, event.attempt, { is: 'stopped' })
    case 'compared':
    case 'compare-failed':
      return compared(state, event)
    case 'merged':
    case 'merge-conflict':
    case 'regraded':
    case 'committed':
    case 'landed':
    case 'target-moved':
    case 'land-refused':
      return { ...state, landing: evolveLanding(state.landing, event) }
    case 'landing-failed':
      return unusableSet({ ...state, landing: evolveLanding(state.landing, event) }, event.fault)
    case 'resumed':
      return {
        ...state,
        seal: state.seal.is === 'sealing' ? { is: 'none', failures: state.seal.failures } : state.seal,
        attempts: state.attempts.map(backOnResume),
        comparison: state.comparison.is === 'comparing' ? { ...NOT_COMPARED } : state.comparison,
        landing: landingOnResume(state.landing),
      }
  }
}

function opened(state: RunState, event: Extract<EventBody, { type: 'opened' }>): RunState {
  const { attempt, gate, dependencies: change, diffLines, tree } = event
  if (gate.kind === 'refused') {
    const [first] = gate.refusals
    const why =
      first === undefined
        ? 'refused'
        : [first.path, first.reason, first.detail].filter((part) => part !== '').join(': ')
    return didStep(state, attempt, { is: 'gate-refused', why })
  }
  const dependencies = dependencyStateOf(change)
  return changeAttempt(didStep(state, attempt, { is: 'opened' }), attempt, (one) =>
    one.phase.is === 'opened'
      ? {
          ...one,
          dependencies,
          ...(tree === undefined ? {} : { tree }),
          ...(diffLines === undefined ? {} : { diffLines }),
        }
      : one,
  )
}

/** Findings while comparing are findings of that output: it is no longer verified. */
function compared(
  state: RunState,
  event: Extract<EventBody, { type: 'compared' | 'compare-failed' }>,
): RunState {
  const next = { ...state, comparison: evolveComparison(state.comparison, event) }
  if (event.type === 'compare-failed' || event.tampered === undefined) return next
  const { attempt, finding } = event.tampered
  return changeAttempt({ ...next, comparison: NOT_COMPARED }, attempt, (one) =>
    one.phase.is === 'graded'
      ? {
          ...one,
          phase: { is: 'graded', grade: { ...one.phase.grade, findings: 1, firstFinding: finding } },
        }
      : one,
  )
}

/** The set itself turned out to be unusable: it grades nobody, and says nothing of any attempt. */
function unusableSet(state: RunState, fault: { readonly code: string; readonly message: string }): RunState {
  if (!fault.code.startsWith('oracle/')) return state
  return { ...state, seal: { is: 'refused', gap: 'spec', reasons: [fault.message] } }
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
      return setPhase(state, decision.attempt, (phase) => (phase.is === 'opened' ? { is: 'grading' } : phase))
    case 'feedback': {
      const next = setPhase(state, decision.attempt, (phase) =>
        phase.is === 'graded' ? { is: 'hearing', grade: phase.grade } : phase,
      )
      // Counted when the intent is written: a crash in between must not make a reply free.
      return { ...next, bitsSpent: state.bitsSpent + decision.bits }
    }
    case 'stop':
      return setPhase(state, decision.attempt, () => ({ is: 'stopping' }))
    case 'compare':
      return { ...state, comparison: { is: 'comparing', failures: failuresOf(state.comparison) } }
    case 'merge':
    case 'regrade':
    case 'commit':
    case 'land':
      return { ...state, landing: evolveLanding(state.landing, { type: 'decided', decision }) }
    case 'complete': {
      const { attempt, accepted } = decision
      const landed = state.landing?.is === 'landed' ? { landed: state.landing.commit } : {}
      return {
        ...state,
        end: { outcome: 'completed', attempt, ...(accepted === undefined ? {} : { accepted }), ...landed },
      }
    }
    case 'refute':
      return {
        ...state,
        end: { outcome: 'refuted', ...(decision.by === undefined ? {} : { by: decision.by }) },
      }
    case 'hold':
      return { ...state, end: { outcome: 'held', decision } }
    case 'wait':
      return state
  }
}

function failuresOf(comparison: ComparisonState): number {
  return comparison.is === 'none' ? comparison.failures : 0
}
