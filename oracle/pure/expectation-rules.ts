import type { Role } from '../../specs/check-set.ts'
import type { Expectation, Pattern } from '../../specs/expectation.ts'
import type { Path, ProblemCode } from './problem.ts'

/** What is wrong inside a pattern: the place below the pattern, and what was expected. */
export interface PatternProblem {
  readonly path: Path
  readonly message: string
}

/** The format checker of patterns (operators and what they take); the matcher's own, so it comes from outside. */
export type ValidatePattern = (pattern: Pattern) => readonly PatternProblem[]

export interface ExpectationProblem {
  readonly code: Extract<ProblemCode, 'pattern' | 'as-base-role'>
  readonly path: Path
  readonly message: string
}

/** What is wrong with one row's expectation. `asBase` passes on base by definition, so only some roles may say it. */
export function expectationProblems(
  expectation: Expectation,
  role: Role,
  validatePattern: ValidatePattern,
): readonly ExpectationProblem[] {
  return [...partsOf(expectation, [])].flatMap((part): readonly ExpectationProblem[] => {
    if (part.kind === 'pattern') {
      return validatePattern(part.pattern).map(({ path, message }) => ({
        code: 'pattern',
        path: [...part.path, ...path],
        message,
      }))
    }
    if (role === 'guard' || role === 'advisory') return []
    return [
      {
        code: 'as-base-role',
        path: part.path,
        message: `a ${role} cannot expect what base does: expected a guard`,
      },
    ]
  })
}

/** Whether a row's expectation says `asBase` anywhere. */
export function saysAsBase(expectation: Expectation): boolean {
  return [...partsOf(expectation, [])].some((part) => part.kind === 'as-base')
}

type Part =
  | { readonly kind: 'pattern'; readonly path: Path; readonly pattern: Pattern }
  | { readonly kind: 'as-base'; readonly path: Path }

function* partsOf(expectation: Expectation, path: Path): Generator<Part> {
  if ('asBase' in expectation) yield { kind: 'as-base', path: [...path, 'asBase'] }
  if ('not' in expectation) yield* partsOf(expectation.not, [...path, 'not'])
  for (const list of ['any', 'all'] as const) {
    const parts = (expectation as { readonly [K in typeof list]?: readonly Expectation[] })[list] ?? []
    for (const [index, part] of parts.entries()) yield* partsOf(part, [...path, list, index])
  }
  for (const field of ['returns', 'throws', 'steps'] as const) {
    const pattern = (expectation as { readonly [K in typeof field]?: Pattern })[field]
    if (pattern !== undefined) yield { kind: 'pattern', path: [...path, field], pattern }
  }
  if ('exits' in expectation) yield* partsOfExit(expectation.exits, [...path, 'exits'])
}

type Exits = Extract<Expectation, { exits: unknown }>['exits']

function* partsOfExit(exits: Exits, path: Path): Generator<Part> {
  for (const field of ['code', 'signal', 'stdout', 'stderr'] as const) {
    const pattern = exits[field]
    if (pattern !== undefined) yield { kind: 'pattern', path: [...path, field], pattern }
  }
  for (const [name, pattern] of Object.entries(exits.files ?? {})) {
    const names = directoryPattern(pattern)
    yield names === undefined
      ? { kind: 'pattern', path: [...path, 'files', name], pattern }
      : { kind: 'pattern', path: [...path, 'files', name, '$directory'], pattern: names }
  }
}

/** `{$directory: pattern of names}` is a form of the file's place and no operator of patterns. */
function directoryPattern(pattern: Pattern): Pattern | undefined {
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern)) return undefined
  return (pattern as { readonly $directory?: Pattern }).$directory
}
