import type { Decision } from '../../specs/decision.ts'
import type { Policy } from '../../specs/policy.ts'
import { feedbackBits } from '../pure/feedback-bits.ts'
import type { RunState } from '../state/run-state.ts'
import type { AttemptState } from '../state/attempts.ts'
import type { GradeFacts } from '../state/facts.ts'
import { mayAnswer, mayGrade } from './holds.ts'

/** Rows 13–16: the next step of the first attempt that has one. */
export function nextStep(state: RunState, policy: Policy): Decision | undefined {
  for (const attempt of state.attempts) {
    const decision = stepOf(attempt, state, policy)
    if (decision !== undefined) return decision
  }
  return undefined
}

function stepOf(attempt: AttemptState, state: RunState, policy: Policy): Decision | undefined {
  const { phase, round } = attempt
  const at = { attempt: attempt.attempt, round }
  if (attempt.failures > policy.infraRetries) return undefined
  switch (phase.is) {
    case 'idle':
      return { do: 'start', ...at }
    case 'delivered':
      return state.seal.is === 'sealed' ? { do: 'open', ...at } : undefined
    case 'opened':
      if (state.seal.is !== 'sealed' || !mayGrade(attempt, policy) || !mayAnswer(state, policy))
        return undefined
      return { do: 'grade', ...at, ...(attempt.isAskedAgain ? { fresh: true } : {}) }
    case 'graded': {
      const { failed, of } = phase.grade
      if (!mayHear(attempt, phase.grade, state, policy)) return undefined
      return { do: 'feedback', ...at, failed, of, bits: feedbackBits(of) }
    }
    case 'working':
    case 'opening':
    case 'gate-refused':
    case 'grading':
    case 'hearing':
    case 'stopping':
    case 'stopped':
      return undefined
  }
}

/** Feedback is for clean refutations by feedback checks only, while rounds, time and bits last. A tampered run hears nothing more. */
function mayHear(attempt: AttemptState, grade: GradeFacts, state: RunState, policy: Policy): boolean {
  if (grade.verdict !== 'refuted' || grade.findings > 0) return false
  // Refuted by landing checks only: they answer once, and "0 of n" would be their answer.
  if (grade.failed === 0) return false
  if (!attempt.hearsFeedback || attempt.isSpent || attempt.round >= policy.rounds) return false
  return state.bitsSpent + feedbackBits(grade.of) <= policy.feedbackBits
}

/** Something is running for it and will report. */
export function isUnderWay({ phase }: AttemptState): boolean {
  switch (phase.is) {
    case 'working':
    case 'opening':
    case 'grading':
    case 'hearing':
    case 'stopping':
      return true
    case 'idle':
    case 'delivered':
    case 'gate-refused':
    case 'opened':
    case 'graded':
    case 'stopped':
      return false
  }
}

/** Stops what is under way, one decision each, then waits until it has stopped; undefined when nothing is left. */
export function stopAll({ attempts }: RunState, why: 'lost' | 'not-sealed'): Decision | undefined {
  const busy = attempts.filter(isUnderWay)
  const next = busy.find(({ phase }) => phase.is !== 'stopping')
  if (next !== undefined) return { do: 'stop', attempt: next.attempt, why }
  return busy.length > 0 ? { do: 'wait' } : undefined
}
