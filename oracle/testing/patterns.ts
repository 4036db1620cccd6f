import { OPERATORS } from '../../specs/expectation.ts'
import type { PatternProblem, ValidateExpectation } from '../pure/expectation-rules.ts'

/** A small checker of expectations for tests of the oracle, which must not know the grader's. */
export const validateExpectationForTests: ValidateExpectation = (expectation) => problemsOf(expectation, '')

function problemsOf(pattern: unknown, path: string): readonly PatternProblem[] {
  if (typeof pattern !== 'object' || pattern === null) return []
  return Object.entries(pattern).flatMap(([key, value]: [string, unknown]) => {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (key === '$directory') return problemsOf(value, at)
    if (key.startsWith('$') && !Object.hasOwn(OPERATORS, key)) return [{ path: at, problem: 'no operator' }]
    if (key === '$matches' && typeof value === 'string' && !isRegExp(value)) {
      return [{ path: at, problem: 'not a regular expression' }]
    }
    return problemsOf(value, at)
  })
}

function isRegExp(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== ''
  } catch {
    return false
  }
}
