import type { Role } from '../../specs/check-set.ts'
import type { Expectation } from '../../specs/expectation.ts'
import type { Path, ProblemCode } from './problem.ts'

/** What is wrong inside an expectation: where (a JSON pointer from the expectation) and what was expected. */
export interface PatternProblem {
  readonly path: string
  readonly problem: string
}

/** The format checker of expectations (operators and what they take): the matcher's own, so it comes from outside. */
export type ValidateExpectation = (expectation: Expectation) => readonly PatternProblem[]

export interface ExpectationProblem {
  readonly code: Extract<ProblemCode, 'pattern' | 'as-base-role'>
  readonly path: Path
  readonly message: string
}

/** What is wrong with one row's expectation. `asBase` passes on base by definition, so only some roles may say it. */
export function expectationProblems(
  expectation: Expectation,
  role: Role,
  validateExpectation: ValidateExpectation,
): readonly ExpectationProblem[] {
  const patterns = validateExpectation(expectation).map(({ path, problem }) => ({
    code: 'pattern' as const,
    path: pathOfPointer(path, expectation),
    message: problem,
  }))
  if (role === 'guard' || role === 'advisory') return patterns
  const asBase = placesOfAsBase(expectation, []).map((path) => ({
    code: 'as-base-role' as const,
    path,
    message: `a ${role} cannot expect what base does: expected a guard`,
  }))
  return [...patterns, ...asBase]
}

function placesOfAsBase(expectation: Expectation, path: Path): readonly Path[] {
  if ('asBase' in expectation) return [[...path, 'asBase']]
  if ('not' in expectation) return placesOfAsBase(expectation.not, [...path, 'not'])
  const inList = (list: 'any' | 'all', parts: readonly Expectation[]) =>
    parts.flatMap((part, index) => placesOfAsBase(part, [...path, list, index]))
  if ('any' in expectation) return inList('any', expectation.any)
  if ('all' in expectation) return inList('all', expectation.all)
  return []
}

/** A JSON pointer as a path; only the value it points into tells an index from a key of digits. */
function pathOfPointer(pointer: string, root: unknown): Path {
  const path: (string | number)[] = []
  let value: unknown = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(value) ? Number(key) : key)
    const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    value = isHolder ? (value as Readonly<Record<string, unknown>>)[key] : undefined
  }
  return path
}
