import { z } from 'zod'

/** Test frameworks whose files a suite can hold. See `specs/suite.md`. */
export const FRAMEWORK_NAMES = ['pytest', 'node-test', 'jest', 'vitest', 'mocha', 'go-test'] as const
export const frameworkNameSchema = z.enum(FRAMEWORK_NAMES)
export type FrameworkName = z.infer<typeof frameworkNameSchema>

/** How a test ended, in the words of all frameworks together. Only `passed` is a pass. */
export const TEST_STATUSES = ['passed', 'failed', 'skipped', 'todo', 'xfailed', 'xpassed', 'error'] as const
export const testStatusSchema = z.enum(TEST_STATUSES)
export type TestStatus = z.infer<typeof testStatusSchema>
