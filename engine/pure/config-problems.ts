import type { z } from 'zod'

/** Problems that one line names; a file with more of them is not the one that was meant. */
const NAMED = 3

/**
 * One clear line for what a schema found: `task.yaml: base.integrity: expected a subresource integrity, e.g. sha512-…`.
 * Unknown keys come first: a mistyped key is also a missing one. Of a union the branch that came closest speaks, since
 * "invalid input" helps nobody.
 */
export function describeIssues(file: string, error: z.ZodError): string {
  const isUnknownKey = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys'
  const issues = [...error.issues.filter(isUnknownKey), ...error.issues.filter((one) => !isUnknownKey(one))]
  if (issues.length === 0) return `${file}: not valid`
  const named = issues.slice(0, NAMED).map((issue) => describeIssue(issue))
  const more = issues.length > NAMED ? ` (and ${issues.length - NAMED} more)` : ''
  return `${file}: ${named.join('; ')}${more}`
}

/** `path: what was expected` of one issue. */
export function describeIssue(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[] = []): string {
  const path = [...prefix, ...issue.path]
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue.errors)
    const [inner] = closest
    // Where no branch came any closer, the union's own words name all of them.
    const isAtItsPlace = inner?.path.length === 0 && !/^Invalid /.test(issue.message)
    if (inner !== undefined && !isAtItsPlace) return describeIssue(inner, path)
  }
  const where = path.length === 0 ? '(top)' : pathText(path)
  if (issue.code === 'unrecognized_keys') {
    return `${where}: unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
  }
  return `${where}: ${issue.message.replace(/^Invalid [a-z ]+[:.] E?/, (said) => (said.endsWith('E') ? 'e' : ''))}`
}

/** The branch that failed deepest, then the one that failed least. */
function closestBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] {
  let best: readonly z.core.$ZodIssue[] = []
  let bestScore = -Infinity
  for (const branch of branches) {
    const depth = Math.max(0, ...branch.map(({ path }) => path.length))
    const wrongShape = branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0) ? 100 : 0
    const score = depth * 10 - branch.length - wrongShape
    if (score > bestScore) [best, bestScore] = [branch, score]
  }
  return best
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('')
}
