import { describe, expect, it } from 'vitest'
import type { ListedTest, SuiteRun } from '../../../specs/check-set.ts'
import { pytest } from '../pytest.ts'
import { planSuite } from './plan-suite.ts'

const GROUND = { seed: 'a'.repeat(64) }
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
    const plan = planSuite(suiteOf(b, a), set, pytest, GROUND)
    expect([...plan.files.keys()].sort()).toEqual(['tests/data.txt', 'tests/test_a.py', 'tests/test_b.py'])
    expect(plan.run).toEqual(['tests/test_a.py', 'tests/test_b.py'])
    expect(plan.canaries.map(({ place, planted }) => [place, planted])).toEqual([
      ['tests/test_a.py', { file: 'suites/unit/tests/test_a.py', model: 0 }],
      ['tests/test_b.py', { file: 'suites/unit/tests/test_b.py', model: 0 }],
    ])
    expect(text(plan.files.get('tests/data.txt'))).toBe('data')
    for (const { place, test } of plan.canaries) {
      expect(text(plan.files.get(place))).toContain(`def ${test.split('::')[1] ?? ''}():`)
    }
    // What is sealed stays as its author wrote it.
    expect(text(set.get('suites/unit/tests/test_a.py'))).toBe(TESTS)
  })

  it('is the same for the same seal, and another for another', () => {
    const plans = ['a', 'a', 'b'].map((hex) =>
      planSuite(suiteOf(a, b), set, pytest, { seed: hex.repeat(64) }),
    )
    expect(plans[0]).toEqual(plans[1])
    expect(plans[0]?.files).not.toEqual(plans[2]?.files)
  })

  it('plants none where the author gave one', () => {
    const own: ListedTest = { row: 'c', test: 'tests/test_a.py::test_one', role: 'canary' }
    const plan = planSuite(suiteOf(own, b), set, pytest, GROUND)
    expect(plan.canaries.map(({ test, planted }) => [test.split('::')[0], planted?.file])).toEqual([
      ['tests/test_a.py', undefined],
      ['tests/test_b.py', 'suites/unit/tests/test_b.py'],
    ])
    expect(text(plan.files.get('tests/test_a.py'))).toBe(TESTS)
  })

  it.each(['all' as const, [0]])('plants none of those that are spoiled (%j), but one of ours', (models) => {
    const spoiled = { 'suites/unit/tests/test_a.py': models }
    const plan = planSuite(suiteOf(a, b), set, pytest, { ...GROUND, spoiled })
    expect(plan.canaries.map(({ planted }) => planted?.model)).toEqual([undefined, 0])
    expect(text(plan.files.get('tests/test_a.py'))).toContain('values = list(range(')
  })

  it('leaves a file in another encoding alone: its author gives it a canary', () => {
    const latin = Buffer.from(`# -*- coding: latin-1 -*-\n# caf\xe9\n${TESTS}`, 'latin1')
    const odd = new Map([...set, ['suites/unit/tests/test_a.py', latin] as const])
    expect(() => planSuite(suiteOf(a), odd, pytest, GROUND)).toThrow(
      expect.objectContaining({
        code: 'oracle/suite-canary',
        message: expect.stringMatching(/: no UTF-8, /),
      }),
    )
    const own: ListedTest = { row: 'c', test: 'tests/test_a.py::test_two', role: 'canary' }
    expect(planSuite(suiteOf(a, own), odd, pytest, GROUND).files.get('tests/test_a.py')).toEqual(latin)
  })

  it('goes back to the author of a file that has no safe place for one', () => {
    const odd = new Map([...set, ['suites/unit/tests/test_a.py', Buffer.from('x = 1\n')] as const])
    expect(() => planSuite(suiteOf(a), odd, pytest, GROUND)).toThrow(
      expect.objectContaining({ code: 'oracle/suite-canary' }),
    )
  })
})
