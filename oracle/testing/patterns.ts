import { OPERATORS, type Pattern } from '../../specs/expectation.ts'
import type { PatternProblem, ValidatePattern } from '../pure/expectation-rules.ts'

/** A small checker of patterns for tests of the oracle, which must not know the grader's. */
export const validatePatternForTests: ValidatePattern = (pattern) => problemsOf(pattern, [])

function problemsOf(pattern: Pattern, path: readonly (string | number)[]): readonly PatternProblem[] {
  if (typeof pattern !== 'object' || pattern === null) return []
  return Object.entries(pattern).flatMap(([key, value]: [string, Pattern]) => {
    const at = [...path, Array.isArray(pattern) ? Number(key) : key]
    if (key.startsWith('$') && !Object.hasOwn(OPERATORS, key)) return [{ path: at, message: 'no operator' }]
    if (key === '$matches' && typeof value === 'string' && !isRegExp(value)) {
      return [{ path: at, message: 'not a regular expression' }]
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
