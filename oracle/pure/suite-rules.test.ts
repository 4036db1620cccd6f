import { describe, expect, it } from 'vitest'
import { checkSetSchema } from '../../specs/check-set.ts'
import { problemLine } from './problem.ts'
import { suiteProblems } from './suite-rules.ts'

const suite = { id: 'unit', framework: 'pytest', files: 'suites/unit' }
const one = { id: 'one', test: 'tests/test_a.py::test_one' }
const two = { id: 'two', test: 'tests/test_a.py::test_two' }
const check = { id: 'a', claim: 'c', role: 'behaviour', suite: 'unit', cases: [one, two] }
const FILES = ['checks.json', 'suites/unit/tests/test_a.py', 'suites/unit/tests/data.txt']

function linesOf(
  checks: readonly object[],
  suites: readonly object[] = [suite],
  files: readonly string[] = FILES,
): readonly string[] {
  const claims = [{ id: 'c', kind: 'change', statement: 's', spec_ref: 'r' }]
  const document = checkSetSchema.parse({ version: 1, claims, checks, suites })
  return suiteProblems(document, new Set(files)).map(problemLine)
}

describe('a suite', () => {
  it.each<[string, readonly object[], (readonly object[])?, (readonly string[])?]>([
    ['with its tests in cases', [check]],
    ['with one test in a check', [{ ...check, cases: undefined, test: one.test }]],
    [
      'of Go, whose tests stand in folders',
      [
        {
          ...check,
          cases: [
            { id: 'x', test: '. TestX' },
            { id: 'y', test: './p TestY/sub' },
          ],
        },
      ],
      [{ ...suite, framework: 'go-test' }],
      ['suites/unit/a_test.go', 'suites/unit/p/b_test.go', 'suites/unit/p/testdata/x'],
    ],
    ['that is none: other checks need none', [{ id: 'a', role: 'canary', scenario: 'scenarios/a.mjs' }], []],
  ])('is good %s', (_, checks, suites, files) => {
    expect(linesOf(checks, suites, files)).toEqual([])
  })

  it.each<[string, readonly object[], string, (readonly object[])?, (readonly string[])?]>([
    [
      'that is not there',
      [{ ...check, suite: 'other' }],
      'checks.json: checks[0].suite: there is no suite "other"',
    ],
    [
      'of a test that is no id',
      [{ ...check, cases: [one, { id: 'x', test: 'test_x' }] }],
      'checks.json: checks[0].cases[1].test: no test id of pytest: see specs/suite.md',
    ],
    [
      'of a test in a file that is not sealed',
      [{ ...check, cases: [one, { id: 'x', test: 'tests/test_x.py::test' }] }],
      'checks.json: checks[0].cases[1].test: the set has no file suites/unit/tests/test_x.py that could hold it',
    ],
    [
      'with a test twice',
      [{ ...check, cases: [one, { id: 'x', test: one.test }] }],
      'checks.json: checks[0].cases[1].test: this test is listed before: a row for each',
    ],
    [
      'without a test in a case',
      [{ ...check, cases: [one, { id: 'x' }] }],
      'checks.json: checks[0].cases[1].test: missing: expected a test id',
    ],
    [
      'without a test in a check',
      [check, { ...check, id: 'b', cases: undefined }],
      'checks.json: checks[1].test: missing: expected a test id',
    ],
    [
      'with a test on the check and in its cases',
      [{ ...check, test: one.test }],
      'checks.json: checks[0].test: stands in each of its cases: leave it out here',
    ],
    [
      'with an expectation',
      [{ ...check, expect: { returns: 1 } }],
      'checks.json: checks[0]: a row of a suite expects its test to pass: no expect, judge, input, writable',
    ],
    [
      'with a file whose tests nobody listed',
      [check],
      'checks.json: suites[0].files: tests/test_b.py holds no test that a check lists',
      [suite],
      [...FILES, 'suites/unit/tests/test_b.py'],
    ],
    [
      'without files',
      [check],
      'checks.json: suites[1].files: the set has no file below suites/none/',
      [suite, { ...suite, id: 'none', files: 'suites/none' }],
    ],
    [
      'without tests',
      [check],
      'checks.json: suites[1]: no check is of this suite',
      [suite, { ...suite, id: 'idle' }],
    ],
    [
      'that other checks borrow a test of',
      [check, { id: 'b', claim: 'c', role: 'guard', scenario: 'scenarios/a.mjs', test: one.test }],
      'checks.json: checks[1]: has a test and no suite: expected both, or neither',
    ],
  ])('is refused %s', (_, checks, line, suites, files) => {
    expect(linesOf(checks, suites, files)).toContain(line)
  })
})
