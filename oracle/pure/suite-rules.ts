import type { Check, CheckSetDocument, Suite } from '../../specs/check-set.ts'
import { looksLikeTests } from '../../specs/protected-paths.ts'
import { placeOfTest } from '../../specs/suite.ts'
import { checksProblem, type Path, type Problem } from './problem.ts'

/** A row of a suite: its test, and where that is written. */
interface Listed {
  readonly suite: string
  readonly test: string | undefined
  readonly at: Path
}

/**
 * The rules of suites: each row of one names a test that one of its sealed files can hold, no test twice, and nothing
 * that only other mechanisms have; and no sealed file looks like tests without holding one that is listed.
 * @param files paths of the set's files.
 */
export function suiteProblems(document: CheckSetDocument, files: ReadonlySet<string>): readonly Problem[] {
  const suites = new Map((document.suites ?? []).map((suite) => [suite.id, suite]))
  const listed = document.checks.flatMap((check, index) => listedIn(check, ['checks', index]))
  return [
    ...document.checks.flatMap((check, index) => fieldProblems(check, ['checks', index], suites)),
    ...listed.flatMap((row) => testProblems(row, suites.get(row.suite), files)),
    ...repeated(listed),
    ...(document.suites ?? []).flatMap((suite, index) =>
      fileProblems(
        suite,
        ['suites', index],
        listed.filter((row) => row.suite === suite.id),
        files,
      ),
    ),
  ]
}

function listedIn(check: Check, path: Path): readonly Listed[] {
  const { suite } = check
  if (suite === undefined) return []
  if (check.cases === undefined) return [{ suite, test: check.test, at: [...path, 'test'] }]
  return check.cases.map((row, index) => ({ suite, test: row.test, at: [...path, 'cases', index, 'test'] }))
}

function fieldProblems(check: Check, path: Path, suites: ReadonlyMap<string, Suite>): readonly Problem[] {
  const rows = check.cases ?? []
  if (check.suite === undefined) {
    const stray = [check, ...rows].some(({ test }) => test !== undefined)
    return stray ? [checksProblem('suite', path, 'has a test and no suite: expected both, or neither')] : []
  }
  const strange = [check, ...rows].some(
    ({ expect, judge, input }) => expect !== undefined || judge !== undefined || input !== undefined,
  )
  return [
    ...(suites.has(check.suite)
      ? []
      : [checksProblem('suite', [...path, 'suite'], `there is no suite ${JSON.stringify(check.suite)}`)]),
    ...(strange || check.writable
      ? [
          checksProblem(
            'suite',
            path,
            'a row of a suite expects its test to pass: no expect, judge, input, writable',
          ),
        ]
      : []),
    ...(check.cases !== undefined && check.test !== undefined
      ? [checksProblem('suite', [...path, 'test'], 'stands in each of its cases: leave it out here')]
      : []),
  ]
}

function testProblems(
  { test, at }: Listed,
  suite: Suite | undefined,
  files: ReadonlySet<string>,
): readonly Problem[] {
  if (test === undefined) return [checksProblem('suite', at, 'missing: expected a test id')]
  if (suite === undefined) return []
  const place = placeOfTest(suite.framework, test)
  if (place === undefined) {
    return [checksProblem('suite', at, `no test id of ${suite.framework}: see specs/suite.md`)]
  }
  const folder = place === '' ? suite.files : `${suite.files}/${place}`
  const isThere =
    suite.framework === 'go-test'
      ? [...files].some((file) => file.endsWith('_test.go') && file.replace(/\/[^/]*$/, '') === folder)
      : files.has(folder)
  return isThere ? [] : [checksProblem('suite', at, `the set has no file ${folder} that could hold it`)]
}

function repeated(listed: readonly Listed[]): readonly Problem[] {
  const seen = new Set<string>()
  return listed.flatMap(({ suite, test, at }) => {
    const key = JSON.stringify([suite, test])
    if (test !== undefined && seen.has(key)) {
      return [checksProblem('suite', at, 'this test is listed before: a row for each')]
    }
    seen.add(key)
    return []
  })
}

function fileProblems(
  suite: Suite,
  path: Path,
  listed: readonly Listed[],
  files: ReadonlySet<string>,
): readonly Problem[] {
  const prefix = `${suite.files}/`
  const own = [...files].filter((file) => file.startsWith(prefix)).map((file) => file.slice(prefix.length))
  if (own.length === 0)
    return [checksProblem('suite', [...path, 'files'], `the set has no file below ${prefix}`)]
  if (listed.length === 0) return [checksProblem('suite', path, 'no check is of this suite')]
  const places = new Set(listed.map(({ test }) => placeOfTest(suite.framework, test ?? '')))
  return own
    .filter((file) => looksLikeTests(suite.framework, file))
    .filter((file) => !places.has(suite.framework === 'go-test' ? file.replace(/\/?[^/]*$/, '') : file))
    .map((file) => checksProblem('suite', [...path, 'files'], `${file} holds no test that a check lists`))
}
