import { describe, expect, it } from 'vitest'
import type { ListedTest, SuiteRun } from '../../../specs/check-set.ts'
import { pytest } from '../pytest.ts'
import { planSuite } from './plan-suite.ts'

const SEED = 'a'.repeat(64)
const TESTS = 'def test_one():\n    assert 1 == 1\n'
const set = new Map(
  Object.entries({
    'checks.json': '{}',
    'suites/other/tests/test_x.py': TESTS,
    'suites/unit/tests/test_a.py': TESTS,
    'suites/unit/tests/test_b.py': TESTS,
    'suites/unit/tests/data.txt': 'data',
  }).map(([path, text]) => [path, Buffer.from(text)]),
)
const suiteOf = (...listed: readonly ListedTest[]): SuiteRun => ({
  id: 'unit',
  framework: 'pytest',
  folder: 'suites/unit',
  timeoutMs: 1000,
  others: 'refuse',
  listed,
})
const a: ListedTest = { row: 'a', test: 'tests/test_a.py::test_one', role: 'behaviour' }
const b: ListedTest = { row: 'b', test: 'tests/test_b.py::test_one', role: 'guard' }
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

describe('the plan of a suite', () => {
  it('lays all files of its folder, runs those with listed tests, and plants a canary in each of them', () => {
    const plan = planSuite(suiteOf(b, a), set, pytest, SEED)
    expect([...plan.files.keys()].sort()).toEqual(['tests/data.txt', 'tests/test_a.py', 'tests/test_b.py'])
    expect(plan.run).toEqual(['tests/test_a.py', 'tests/test_b.py'])
    expect(plan.canaries.map(({ place, isPlanted }) => [place, isPlanted])).toEqual([
      ['tests/test_a.py', true],
      ['tests/test_b.py', true],
    ])
    expect(text(plan.files.get('tests/data.txt'))).toBe('data')
    for (const { place, test } of plan.canaries) {
      expect(text(plan.files.get(place))).toContain(`def ${test.split('::')[1] ?? ''}():`)
    }
    // What is sealed stays as its author wrote it.
    expect(text(set.get('suites/unit/tests/test_a.py'))).toBe(TESTS)
  })

  it('is the same for the same seal, and another for another', () => {
    const plans = [SEED, SEED, 'b'.repeat(64)].map((seed) => planSuite(suiteOf(a, b), set, pytest, seed))
    expect(plans[0]).toEqual(plans[1])
    expect(plans[0]?.files).not.toEqual(plans[2]?.files)
  })

  it('plants none where the author gave one', () => {
    const own: ListedTest = { row: 'c', test: 'tests/test_a.py::test_one', role: 'canary' }
    const plan = planSuite(suiteOf(own, b), set, pytest, SEED)
    expect(plan.canaries.map(({ test, isPlanted }) => [test.split('::')[0], isPlanted])).toEqual([
      ['tests/test_a.py', false],
      ['tests/test_b.py', true],
    ])
    expect(text(plan.files.get('tests/test_a.py'))).toBe(TESTS)
  })

  it('goes back to the author of a file that has no safe place for one', () => {
    const odd = new Map([...set, ['suites/unit/tests/test_a.py', Buffer.from('x = 1\n')] as const])
    expect(() => planSuite(suiteOf(a), odd, pytest, SEED)).toThrow(
      expect.objectContaining({ code: 'oracle/suite-canary' }),
    )
  })
})
