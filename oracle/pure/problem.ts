/** Why a check set cannot be read, by name. */
export type ProblemCode =
  /** checks.json is missing, is no UTF-8 or no JSON, or holds a key twice. */
  | 'not-json'
  /** A field is unknown, missing, or of another type or form than the format asks. */
  | 'wrong-form'
  /** A file lies where none belongs. */
  | 'file-refused'
  /** More bytes or more files than the caps. */
  | 'too-large'
  /** checks.json names a file that is not there. */
  | 'file-missing'
  /** A scenario or judge of a kind that no host runs. */
  | 'file-kind'
  | 'duplicate-id'
  /** Not exactly one of scenario, command, and service with scenario. */
  | 'mechanism'
  /** A path of a command that leaves its folder. */
  | 'command-path'
  /** A row's input that is no part of a command. */
  | 'command-input'
  | 'claim-missing'
  | 'claim-unknown'
  | 'canary-with-claim'
  /** Neither expect nor judge, or both. */
  | 'expect-or-judge'
  | 'pattern'
  /** `asBase` in a row that must not pass on base. */
  | 'as-base-role'
  | 'quotation'
  /** A claim listed as unverifiable that has rows which decide it, or listed twice. */
  | 'unverifiable-decided'
  /** A suite, or a test of one, that is not as `specs/suite.md` says. */
  | 'suite'
  /** Text that no canonical JSON can hold. */
  | 'text'

export type Path = readonly (string | number)[]

export interface Problem {
  readonly code: ProblemCode
  /** File of the set. */
  readonly file: string
  /** Place in that file, as {@link pathText} writes it; empty for the file as a whole. */
  readonly at: string
  readonly message: string
}

/** More than this is noise: the author mends the first and hands in again. */
const MAX_PROBLEMS = 20

/** `checks[3].cases[1].expect.returns`, with quotes around keys that are no plain words. */
export function pathText(path: Path): string {
  return path
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`
      return /^[$A-Za-z_][$\w-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
    })
    .join('')
    .replace(/^\./, '')
}

/** One line: file, place, what is wrong and what was expected. */
export function problemLine(problem: Problem): string {
  const place = problem.at === '' ? problem.file : `${problem.file}: ${problem.at}`
  return `${place}: ${problem.message}`
}

/** Every problem as a line, at most {@link MAX_PROBLEMS} of them and then how many more there are. */
export function problemLines(problems: readonly Problem[]): readonly string[] {
  const lines = problems.slice(0, MAX_PROBLEMS).map(problemLine)
  const left = problems.length - lines.length
  return left === 0 ? lines : [...lines, `and ${left} more`]
}

export const CHECKS_FILE = 'checks.json'

/** A problem of checks.json. */
export function checksProblem(code: ProblemCode, path: Path, message: string): Problem {
  return { code, file: CHECKS_FILE, at: pathText(path), message }
}
