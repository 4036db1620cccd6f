import { expect, test } from 'vitest'
import { closingLine, tally, type Step, type VitestReport } from './tally.ts'

const report = (statuses: readonly string[], status = 'passed'): VitestReport => ({
  testResults: [
    {
      name: '/a.test.ts',
      status,
      assertionResults: statuses.map((state, index) => ({ fullName: `t${index}`, status: state })),
    },
  ],
})

test.each<[string, readonly Step[], string]>([
  ['a check is a test', [{ name: 'check:types', exitCode: 0 }], '1 passed, 0 failed'],
  ['a failing check is a failed test', [{ name: 'check:lint', exitCode: 1 }], '0 passed, 1 failed'],
  ['projects are summed', [project(['passed', 'passed']), project(['passed'])], '3 passed, 0 failed'],
  [
    'skipped ones are counted, whatever vitest calls them',
    [project(['passed', 'skipped', 'pending', 'todo'])],
    '1 passed, 0 failed, 3 skipped',
  ],
  ['failed ones are counted once', [project(['passed', 'failed'], 1, 'failed')], '1 passed, 1 failed'],
  ['a file that cannot be loaded fails', [project([], 1, 'failed')], '0 passed, 1 failed'],
  ['an error outside of any test fails', [project(['passed'], 1)], '1 passed, 1 failed'],
  ['a project that wrote no report fails', [{ name: 'e2e', exitCode: 137 }], '0 passed, 1 failed'],
])('%s', (_, steps, line) => {
  expect(closingLine(tally(steps))).toBe(line)
})

test('what failed says why', () => {
  const message = '\u001b[31mAssertionError: expected 1 to be 2\u001b[39m\n    at a.test.ts:1'
  const step: Step = {
    name: 'unit',
    exitCode: 1,
    report: {
      testResults: [
        {
          name: '/a.test.ts',
          status: 'failed',
          assertionResults: [{ fullName: 'adds', status: 'failed', failureMessages: [message] }],
        },
        { name: '/b.test.ts', status: 'failed', message: 'cannot be loaded', assertionResults: [] },
      ],
    },
  }
  expect(tally([step, project(['passed'], 1)]).failed).toEqual([
    'unit: adds: AssertionError: expected 1 to be 2',
    'unit: /b.test.ts: cannot be loaded',
    'unit (exit 1): an error outside of any test, printed above as Unhandled Errors',
  ])
})

function project(statuses: readonly string[], exitCode = 0, status = 'passed'): Step {
  return { name: 'unit', exitCode, report: report(statuses, status) }
}
