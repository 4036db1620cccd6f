import type { Decision } from '../specs/decision.ts'
import { DEFAULT_LANDING_ANSWERS, type Policy } from '../specs/policy.ts'
import { feedbackBits, type AttemptState, type GradeFacts, type RunState } from './state.ts'

const A_WORKING_ENGINE = 'a working container engine'

/**
 * What to do next (D23: nothing completes by silence). Pure and total: no clock, no randomness, no I/O; equal states give equal decisions. The rows are
 * the ones of `specs/decide.md`, in the same order; the first that applies decides. Rows 1 and 25 are here.
 */
export function decide(state: RunState): Decision {
  const { policy } = state
  if (policy === undefined || state.end !== undefined) return { do: 'wait' }
  return (
    sealFirst(state, policy) ??
    withoutSeal(state) ??
    endRace(state, policy) ??
    nextStep(state, policy) ??
    conclude(state, policy) ?? { do: 'wait' }
  )
}

/** Row 2: ask for the seal, again while retries last. */
function sealFirst({ seal }: RunState, policy: Policy): Decision | undefined {
  if (seal.is !== 'none' || seal.failures > policy.infraRetries) return undefined
  return { do: 'seal' }
}

/** Rows 3–6: there will be no seal, so nothing can come of any attempt. */
function withoutSeal(state: RunState): Decision | undefined {
  const { seal } = state
  if (seal.is === 'sealing' || seal.is === 'sealed') return undefined
  const ending = stopAll(state, 'not-sealed')
  if (ending !== undefined) return ending
  if (seal.is === 'refused') {
    const missing = seal.reasons[0] ?? 'a check set that admission accepts'
    return { do: 'hold', cause: 'not-sealed', gap: seal.gap, missing }
  }
  return { do: 'hold', cause: 'infrastructure', missing: seal.fault ?? A_WORKING_ENGINE }
}

/** Rows 7–9: with a winner, a `first` race stops the others and completes. */
function endRace(state: RunState, policy: Policy): Decision | undefined {
  if (policy.race !== 'first') return undefined
  const winner = state.attempts.find((attempt) => isClean(attempt, state, policy))
  if (winner === undefined) return undefined
  const ending = stopAll(state, 'lost')
  if (ending !== undefined) return ending
  return { do: 'complete', attempt: winner.attempt }
}

/** Rows 10–13: the next step of the first attempt that has one. */
function nextStep(state: RunState, policy: Policy): Decision | undefined {
  for (const attempt of state.attempts) {
    const decision = stepOf(attempt, state, policy)
    if (decision !== undefined) return decision
  }
  return undefined
}

function stepOf(attempt: AttemptState, state: RunState, policy: Policy): Decision | undefined {
  const { phase, round } = attempt
  const at = { attempt: attempt.attempt, round }
  if (isOutOfRetries(attempt, policy)) return undefined
  switch (phase.is) {
    case 'idle':
      return { do: 'start', ...at }
    case 'delivered':
      return state.seal.is === 'sealed' ? { do: 'open', ...at } : undefined
    case 'opened':
      return mayGrade(phase.dependencies, policy) && mayAnswer(state, policy)
        ? { do: 'grade', ...at }
        : undefined
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

/** Rows 14–24: once every attempt is at its end. */
function conclude(state: RunState, policy: Policy): Decision | undefined {
  if (state.seal.is !== 'sealed' || state.attempts.some(isUnderWay)) return undefined
  const winner = state.attempts.find((attempt) => isClean(attempt, state, policy))
  if (winner !== undefined) return { do: 'complete', attempt: winner.attempt }
  for (const attempt of state.attempts) {
    const held = holdOf(attempt, state, policy)
    if (held !== undefined) return held
  }
  if (state.attempts.some((attempt) => isRefuted(attempt))) return { do: 'refute' }
  return { do: 'hold', cause: 'nothing-delivered', missing: 'an attempt' }
}

/** Rows 15–22: why an ended attempt needs a person (D24). */
function holdOf(
  { attempt, phase, failures, fault }: AttemptState,
  state: RunState,
  policy: Policy,
): Decision | undefined {
  if (phase.is === 'opened' && !mayGrade(phase.dependencies, policy)) {
    return { do: 'hold', cause: 'dependencies', attempt, missing: 'leave to change what is installed' }
  }
  if (phase.is === 'opened' && isLandingSpent(state, policy)) {
    const missing = 'landing checks that have not answered yet'
    return { do: 'hold', cause: 'landing-spent', gap: 'fixture', attempt, missing }
  }
  if (failures > policy.infraRetries) {
    return { do: 'hold', cause: 'infrastructure', attempt, missing: fault ?? A_WORKING_ENGINE }
  }
  if (phase.is !== 'graded') return undefined
  const { grade } = phase
  if (grade.findings > 0) {
    return { do: 'hold', cause: 'tampered', attempt, missing: explanationOf(grade) }
  }
  if (grade.verdict === 'unverifiable') {
    const gap = grade.gap === undefined ? {} : { gap: grade.gap }
    return {
      do: 'hold',
      cause: 'unverifiable',
      ...gap,
      attempt,
      missing: grade.missing ?? 'a check for every claim',
    }
  }
  if (grade.verdict !== 'verified') return undefined
  if (!isStrongEnough(grade, policy)) {
    return { do: 'hold', cause: 'strength', attempt, missing: 'isolated evidence for every claim' }
  }
  if (!mayConfigure(grade, policy)) {
    const paths = grade.configuration?.join(', ') ?? ''
    return {
      do: 'hold',
      cause: 'runner-configuration',
      attempt,
      missing: `leave to change what configures a test runner: ${paths}`,
    }
  }
  if (policy.requireGuard && !hasGuard(state)) {
    return { do: 'hold', cause: 'no-guard', attempt, missing: 'a valid guard' }
  }
  return undefined
}

function explanationOf({ findings, firstFinding }: GradeFacts): string {
  if (firstFinding === undefined) return 'an explanation of the integrity findings'
  const which = findings === 1 ? firstFinding : `${firstFinding}, the first of ${findings} findings`
  return `an explanation of ${which}: read the diff, then \`assay grade TASK --diff FILE --fresh\``
}

/** Verified with nothing against it: the one way to completion. */
function isClean({ phase }: AttemptState, state: RunState, policy: Policy): boolean {
  if (phase.is !== 'graded') return false
  const { grade } = phase
  if (grade.verdict !== 'verified' || grade.findings > 0 || !isStrongEnough(grade, policy)) return false
  if (!mayConfigure(grade, policy)) return false
  return !policy.requireGuard || hasGuard(state)
}

function isRefuted({ phase }: AttemptState): boolean {
  return phase.is === 'gate-refused' || (phase.is === 'graded' && phase.grade.verdict === 'refuted')
}

function isStrongEnough(grade: GradeFacts, policy: Policy): boolean {
  return policy.strength === 'in_process' || grade.strength === 'isolated'
}

function mayConfigure({ configuration = [] }: GradeFacts, policy: Policy): boolean {
  return policy.runnerConfigChanges === 'allow' || configuration.length === 0
}

function hasGuard({ seal }: RunState): boolean {
  return seal.is === 'sealed' && seal.hasGuard
}

function mayGrade(dependencies: 'unchanged' | 'satisfied' | 'missing', policy: Policy): boolean {
  if (dependencies === 'unchanged') return true
  return policy.dependencyChanges === 'allow-installed' && dependencies === 'satisfied'
}

function landingAnswersLeft({ seal, landingAnswers }: RunState, policy: Policy): number {
  if (seal.is !== 'sealed' || !seal.hasLanding) return Infinity
  return (policy.landingAnswers ?? DEFAULT_LANDING_ANSWERS) - landingAnswers
}

/** Whether one more output may be graded: each that is being graded may turn out to take an answer. */
function mayAnswer(state: RunState, policy: Policy): boolean {
  const underWay = state.attempts.filter(({ phase }) => phase.is === 'grading').length
  return underWay < landingAnswersLeft(state, policy)
}

function isLandingSpent(state: RunState, policy: Policy): boolean {
  return landingAnswersLeft(state, policy) < 1
}

/** Feedback is for clean refutations by feedback checks only, while rounds and bits last. A tampered run hears nothing more. */
function mayHear(attempt: AttemptState, grade: GradeFacts, state: RunState, policy: Policy): boolean {
  if (grade.verdict !== 'refuted' || grade.findings > 0) return false
  // Refuted by landing checks only: they answer once, and "0 of n" would be their answer.
  if (grade.failed === 0) return false
  if (!attempt.hearsFeedback || attempt.round >= policy.rounds) return false
  return state.bitsSpent + feedbackBits(grade.of) <= policy.feedbackBits
}

function isOutOfRetries({ failures }: AttemptState, policy: Policy): boolean {
  return failures > policy.infraRetries
}

/** Something is running for it and will report. */
function isUnderWay({ phase }: AttemptState): boolean {
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
function stopAll({ attempts }: RunState, why: 'lost' | 'not-sealed'): Decision | undefined {
  const busy = attempts.filter(isUnderWay)
  const next = busy.find(({ phase }) => phase.is !== 'stopping')
  if (next !== undefined) return { do: 'stop', attempt: next.attempt, why }
  return busy.length > 0 ? { do: 'wait' } : undefined
}
