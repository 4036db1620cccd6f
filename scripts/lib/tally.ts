import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'

const MAX_WHY_LENGTH = 300

/** vitest's JSON report, as far as it is read here. */
export const vitestReportSchema = z.looseObject({
  testResults: z.array(
    z.looseObject({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.looseObject({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).optional(),
        }),
      ),
    }),
  ),
})
export type VitestReport = z.infer<typeof vitestReportSchema>

/** How one step of the tests ended. */
export interface Step {
  /** `check:types`, `unit`, … */
  readonly name: string
  readonly exitCode: number
  /** Of a vitest project; undefined for a check, and for a project that wrote none. */
  readonly report?: VitestReport
}

export interface Tally {
  readonly passed: number
  /** Names, each with the first line of what went wrong. */
  readonly failed: readonly string[]
  /** Names. */
  readonly skipped: readonly string[]
}

/**
 * Counts tests; pure. A step without a report is one test. A file that could not be loaded, and a step that ended
 * badly though no test of it failed, is a failed test: nothing passes by silence.
 */
export function tally(steps: readonly Step[]): Tally {
  const tallies = steps.map((step) =>
    step.report === undefined ? ofCheck(step) : ofProject(step, step.report),
  )
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    failed: tallies.flatMap(({ failed }) => failed),
    skipped: tallies.flatMap(({ skipped }) => skipped),
  }
}

function ofCheck({ name, exitCode }: Step): Tally {
  return exitCode === 0
    ? { passed: 1, failed: [], skipped: [] }
    : { passed: 0, failed: [`${name} (exit ${exitCode})`], skipped: [] }
}

function ofProject({ name, exitCode }: Step, report: VitestReport): Tally {
  let passed = 0
  const failed: string[] = []
  const skipped: string[] = []
  for (const file of report.testResults) {
    const failedBefore = failed.length
    for (const { fullName, status, failureMessages = [] } of file.assertionResults) {
      const test = `${name}: ${fullName}`
      if (status === 'passed') passed += 1
      else if (status === 'failed') failed.push(withWhy(test, failureMessages[0]))
      else skipped.push(test)
    }
    if (file.status === 'failed' && failed.length === failedBefore) {
      failed.push(withWhy(`${name}: ${file.name}`, file.message))
    }
  }
  if (exitCode !== 0 && failed.length === 0) {
    failed.push(`${name} (exit ${exitCode}): an error outside of any test, printed above as Unhandled Errors`)
  }
  return { passed, failed, skipped }
}

function withWhy(test: string, message = ''): string {
  const why = stripVTControlCharacters(message).split('\n', 1)[0] ?? ''
  return why === '' ? test : `${test}: ${why.slice(0, MAX_WHY_LENGTH)}`
}

/** `N passed, N failed`, and `, N skipped` where any were. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  const line = `${passed} passed, ${failed.length} failed`
  return skipped.length === 0 ? line : `${line}, ${skipped.length} skipped`
}
