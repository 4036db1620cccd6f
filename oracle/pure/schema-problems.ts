import type { z } from 'zod'
import { pathText, type Path, type Problem } from './problem.ts'

type Issue = z.core.$ZodIssue

const ID =
  'lower-case letters, digits, dots, hyphens and underscores, at most 64, the first a letter or digit'
const EXPECTATION = 'exactly one of returns, throws, exits, outcome, steps, any, all, not, asBase'

/** What the format asks of a field, by the field's name: more than a regular expression tells a reader. */
const ASKED: Readonly<Record<string, string>> = {
  id: ID,
  claim: `the id of a claim: ${ID}`,
  scenario: 'a path below scenarios/, without ..',
  judge: 'a path below judges/, without ..',
  diff: 'a path below trials/, without ..',
  expect: EXPECTATION,
  not: EXPECTATION,
}

/** What zod found wrong, each with its place and what was expected there. */
export function schemaProblems(file: string, issues: readonly Issue[], under: Path = []): readonly Problem[] {
  return issues.flatMap((issue) => {
    const path = [...under, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))]
    if (issue.code === 'invalid_union') {
      const branch = nearestBranch(issue.errors)
      if (branch !== undefined) return schemaProblems(file, branch, path)
    }
    return [{ code: 'wrong-form' as const, file, at: pathText(path), message: messageOf(issue, path) }]
  })
}

/** The one alternative whose own keys are all known: what the author meant to write. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const meant = branches.filter(
    (issues) =>
      !issues.some(
        (issue) =>
          issue.path.length === 0 && (issue.code === 'unrecognized_keys' || issue.code === 'invalid_type'),
      ),
  )
  return meant.length === 1 ? meant[0] : undefined
}

function messageOf(issue: Issue, path: Path): string {
  const field = path.findLast((key) => typeof key === 'string')
  const asked = field === undefined ? undefined : ASKED[field]
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.map((key) => JSON.stringify(key)).join(', ')
    return `unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${keys}`
  }
  if (issue.code === 'invalid_union') {
    return `expected ${asked ?? (isListOfExpectations(path) ? EXPECTATION : 'one of the forms of the format')}`
  }
  if (issue.code === 'invalid_format') return `expected ${asked ?? issue.message}`
  return issue.message.replace(/^[^:]*: (?=expected)/, '').replace('Invalid input', 'not of the form asked')
}

function isListOfExpectations(path: Path): boolean {
  const list = path.at(-2)
  return list === 'any' || list === 'all'
}
