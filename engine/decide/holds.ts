import type { Decision, HoldCause } from '../../specs/decision.ts'
import { DEFAULT_LANDING_ANSWERS, type Policy } from '../../specs/policy.ts'
import type { RunState } from '../state/run-state.ts'
import type { AttemptState } from '../state/attempts.ts'
import type { DependencyState, GradeFacts } from '../state/facts.ts'

export const A_WORKING_ENGINE = 'a working container engine'

type Hold = Extract<Decision, { do: 'hold' }>

/** Rows 22–29: why an ended attempt needs a person (D24). */
export function holdOf(attempt: AttemptState, state: RunState, policy: Policy): Hold | undefined {
  const { phase, failures, fault } = attempt
  if (phase.is === 'opened' && !mayGrade(attempt, policy)) return dependenciesHold(attempt.attempt)
  if (phase.is === 'opened' && landingAnswersLeft(state, policy) < 1) {
    const missing = 'landing checks that have not answered yet'
    return { do: 'hold', cause: 'landing-spent', gap: 'fixture', attempt: attempt.attempt, missing }
  }
  if (failures > policy.infraRetries) {
    return {
      do: 'hold',
      cause: 'infrastructure',
      attempt: attempt.attempt,
      missing: fault ?? A_WORKING_ENGINE,
    }
  }
  return phase.is === 'graded' ? gradeHold(attempt, phase.grade, state, policy) : undefined
}

export function dependenciesHold(attempt: number): Hold {
  return { do: 'hold', cause: 'dependencies', attempt, missing: 'leave to change what is installed' }
}

/** What of a grade needs a person and was not accepted by one. Of an output, and of what it became by merging. */
export function gradeHold(
  { attempt, accepted }: AttemptState,
  grade: GradeFacts,
  state: RunState,
  policy: Policy,
): Hold | undefined {
  const isOpen = (cause: HoldCause) => !accepted.includes(cause)
  if (grade.findings > 0 && (isOpen('tampered') || grade.verdict === 'refuted')) {
    return { do: 'hold', cause: 'tampered', attempt, missing: explanationOf(grade) }
  }
  if (grade.verdict === 'unverifiable' && isOpen('unverifiable')) {
    const gap = grade.gap === undefined ? {} : { gap: grade.gap }
    const missing = grade.missing ?? 'a check for every claim'
    return { do: 'hold', cause: 'unverifiable', ...gap, attempt, missing }
  }
  if (grade.verdict === 'refuted') return undefined
  if (policy.strength === 'isolated' && grade.strength !== 'isolated' && isOpen('strength')) {
    return { do: 'hold', cause: 'strength', attempt, missing: 'isolated evidence for every claim' }
  }
  const { configuration = [] } = grade
  if (policy.runnerConfigChanges !== 'allow' && configuration.length > 0 && isOpen('runner-configuration')) {
    const missing = `leave to change what configures a test runner: ${configuration.join(', ')}`
    return { do: 'hold', cause: 'runner-configuration', attempt, missing }
  }
  if (policy.requireGuard && !hasGuard(state) && isOpen('no-guard')) {
    return { do: 'hold', cause: 'no-guard', attempt, missing: 'a valid guard' }
  }
  return undefined
}

function explanationOf({ findings, firstFinding }: GradeFacts): string {
  if (firstFinding === undefined) return 'an explanation of the integrity findings'
  const which = findings === 1 ? firstFinding : `${firstFinding}, the first of ${findings} findings`
  return `an explanation of ${which}: read the diff, then \`assay grade TASK --diff FILE --fresh\``
}

/** Verified, or accepted by a person, with nothing against it: the one way to completion. */
export function isClean(attempt: AttemptState, state: RunState, policy: Policy): boolean {
  return attempt.phase.is === 'graded' && isCleanGrade(attempt, attempt.phase.grade, state, policy)
}

/** As {@link isClean}, of a grade: of the output, or of what it became by merging. */
export function isCleanGrade(
  attempt: AttemptState,
  grade: GradeFacts,
  state: RunState,
  policy: Policy,
): boolean {
  return grade.verdict !== 'refuted' && gradeHold(attempt, grade, state, policy) === undefined
}

export function isRefuted({ phase }: AttemptState): boolean {
  return phase.is === 'gate-refused' || (phase.is === 'graded' && phase.grade.verdict === 'refuted')
}

function hasGuard({ seal }: RunState): boolean {
  return seal.is === 'sealed' && seal.hasGuard
}

/** Whether what is installed lets it be graded. */
export function mayGrade(attempt: AttemptState, policy: Policy): boolean {
  return attempt.accepted.includes('dependencies') || mayInstall(attempt.dependencies, policy)
}

export function mayInstall(dependencies: DependencyState, policy: Policy): boolean {
  if (dependencies === 'unchanged') return true
  return policy.dependencyChanges === 'allow-installed' && dependencies === 'satisfied'
}

function landingAnswersLeft({ seal, landingAnswers }: RunState, policy: Policy): number {
  if (seal.is !== 'sealed' || !seal.hasLanding) return Infinity
  return (policy.landingAnswers ?? DEFAULT_LANDING_ANSWERS) - landingAnswers
}

/** Whether one more output may be graded: each that is being graded may turn out to take an answer. */
export function mayAnswer(state: RunState, policy: Policy): boolean {
  const underWay = state.attempts.filter(({ phase }) => phase.is === 'grading').length
  return underWay < landingAnswersLeft(state, policy)
}
