import type { z } from 'zod'

/**
 * One clear line for what a schema found: `task.yaml: base.integrity: expected a subresource integrity, e.g. sha512-…`.
 * Of a union the branch that came closest speaks, since "invalid input" helps nobody.
 */
export function describeIssues(file: string, error: z.ZodError): string {
  const [first, ...rest] = error.issues
  if (first === undefined) return `${file}: not valid`
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`
  return `${file}: ${describeIssue(first)}${more}`
}

/** `path: what was expected` of one issue. */
export function describeIssue(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[] = []): string {
  const path = [...prefix, ...issue.path]
  if (issue.code === 'invalid_union') {
    const closest = closestBranch(issue.errors)
    const [inner] = closest
    if (inner !== undefined) return describeIssue(inner, path)
  }
  const where = path.length === 0 ? '(top)' : pathText(path)
  if (issue.code === 'unrecognized_keys') {
    return `${where}: unknown ${issue.keys.length === 1 ? 'key' : 'keys'} ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
  }
  return `${where}: ${issue.message}`
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
