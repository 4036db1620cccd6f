import { z } from 'zod'

/** Test frameworks whose files a suite can hold. See `specs/suite.md`. */
export const FRAMEWORK_NAMES = ['pytest', 'node-test', 'jest', 'vitest', 'mocha', 'go-test'] as const
export const frameworkNameSchema = z.enum(FRAMEWORK_NAMES)
export type FrameworkName = z.infer<typeof frameworkNameSchema>

/** How a test ended, in the words of all frameworks together. Only `passed` is a pass. */
export const TEST_STATUSES = ['passed', 'failed', 'skipped', 'todo', 'xfailed', 'xpassed', 'error'] as const
export const testStatusSchema = z.enum(TEST_STATUSES)
export type TestStatus = z.infer<typeof testStatusSchema>

/** What a row of a suite expects: the framework's own word for passed, and nothing else. */
export const SUITE_PASS = { status: 'passed' } as const

/** Separates the file from the names in a test id. */
const FILE_ENDS: Readonly<Record<FrameworkName, string>> = {
  pytest: '::',
  'node-test': ' > ',
  jest: ' > ',
  vitest: ' > ',
  mocha: ' > ',
  'go-test': ' ',
}

/**
 * Where a test stands, from its id: a file of the tree, or for `go-test` a folder (`''` is the tree itself).
 * Undefined for what is no test id of that framework.
 */
export function placeOfTest(framework: FrameworkName, test: string): string | undefined {
  const end = test.indexOf(FILE_ENDS[framework])
  if (end < 1 || end + FILE_ENDS[framework].length === test.length) return undefined
  const place = test.slice(0, end)
  if (framework === 'go-test') return /^\.(?:\/|$)/.test(place) ? place.slice(2) : undefined
  return place
}
