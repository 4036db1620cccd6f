import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../pure/shuffle.ts'
import { plantPythonCanaries } from './python-canary.ts'
import { pythonLines } from './python-lines.ts'

const SOURCE = `"""Tests.

def test_not_this():
    pass
"""
import pytest

TABLE = {
    "a": 1,
}


def helper():
    return 1


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.skip
def test_decorated(n):
    assert n == 1


def test_plain_sum():
    text = """
def test_inside():
"""
    assert helper() == 3  # three
    assert helper() == 1


# about the next
class TestGroup:
    def test_method(self):
        assert True
`
const plant = (seed: number, source = SOURCE) =>
  plantPythonCanaries(source, 'tests/test_a.py', { random: seededRandom(seed) })

/** What is asserted beside each assertion of a body, in their order. */
function othersOf(body: string, head = 'def test_one():', indent = '    '): readonly string[] {
  const lines = body.split('\n').map((line) => (line === '' ? '' : indent + line))
  const source = `${indent.slice(4) === '' ? '' : 'class TestX:\n'}${indent.slice(4)}${head}\n${lines.join('\n')}\n`
  const planted = plant(3, source)
  const before = new Set(source.split('\n').map((line) => line.trim()))
  return (planted?.source.split('\n') ?? [])
    .map((line) => line.trim())
    .filter((line) => !before.has(line) && !line.startsWith('def '))
    .map((line) => line.replaceAll(/\d\d+|(?<=, )\d(?=\])/g, 'N'))
}

describe('lines of Python', () => {
  it('are told from what stands in strings, brackets and comments', () => {
    const top = pythonLines(SOURCE).filter(({ indent }) => indent === 0)
    expect(top.map(({ start }) => SOURCE.slice(start, SOURCE.indexOf('\n', start)))).toEqual([
      '"""Tests.',
      'import pytest',
      'TABLE = {',
      'def helper():',
      '@pytest.mark.parametrize("n", [1, 2])',
      '@pytest.mark.skip',
      'def test_decorated(n):',
      'def test_plain_sum():',
      'class TestGroup:',
    ])
  })

  test.prop([fc.string({ unit: 'binary', maxLength: 60 })])('are as long as what they stand for', (text) => {
    for (const { start, end, mask } of pythonLines(text)) expect(mask).toHaveLength(end - start)
  })
})

describe('canaries in a file for pytest', () => {
  it('are copies of its tests, each with an assertion that contradicts another; all else stays', () => {
    const canaries = plant(3)?.canaries ?? []
    expect(canaries.map(({ model }) => model).sort()).toEqual([0, 1, 2])
    expect(canaries.map((one) => one.test.replace(/test_\w+$/, '…'))).toEqual([
      'tests/test_a.py::…',
      'tests/test_a.py::…',
      'tests/test_a.py::TestGroup::…',
    ])
  })

  it('are the same for the same seed, and have many places and names', () => {
    const all = Array.from({ length: 40 }, (_, seed) => plant(seed))
    expect(plant(7)).toEqual(plant(7))
    expect(new Set(all.map((one) => one?.canaries[0]?.test)).size).toBeGreaterThan(3)
    expect(new Set(all.map((one) => one?.source.indexOf('def test_plain_sum():'))).size).toBeGreaterThan(3)
  })

  it('are first of the tests that a verdict rests on, one of each', () => {
    const tests = (names: readonly string[]) =>
      names.map((name) => `def test_${name}():\n    assert f() == 1\n    assert g() == 2\n`).join('\n')
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
    const wanted = ['n4', 'n17', 'n9'].map((name) => `t.py::test_${name}[3]`)
    const order = { random: seededRandom(1), wanted }
    const { canaries = [] } = plantPythonCanaries(tests(names), 't.py', order) ?? {}
    const model = (index: number) => canaries[index]?.model ?? -1
    expect(canaries).toHaveLength(12)
    expect([0, 1, 2].map((at) => Math.floor(model(at) / 2)).sort((a, b) => a - b)).toEqual([4, 9, 17])
    expect([0, 1, 2, 3, 4, 5].map((at) => Math.floor(model(at) / 2)).sort((a, b) => a - b)).toEqual([
      4, 4, 9, 9, 17, 17,
    ])
  })

  it.each([
    ['assert f(1) == 3', ['assert f(1) == N']],
    ['assert 3 == f(1)', ['assert N == f(1)']],
    ['assert f(1) == expected, "why"', ['assert f(1) == [expected, N], "why"']],
    ['assert f(1) == {"a": [None, x]}', ['assert f(1) == {"a": [N, x]}']],
    ['assert f(1) == approx(0.5)', ['assert f(1) == [approx(0.5), N]']],
    ['assert f(1) == [n for n in x]', ['assert f(1) == [[n for n in x], N]']],
    ['assert (f(1) == 3), "why"', ['assert (f(1) == N), "why"']],
    ['assert (f(1),)', ['assert ((f(1),)) is Ellipsis']],
    ['assert f(1)', ['assert (f(1)) is Ellipsis']],
    ['assert f(1) == 2 and g()', ['assert (f(1) == 2 and g()) is Ellipsis']],
    ['assert a == b == 3', ['assert (a == b == 3) is Ellipsis']],
    ['assert len(f(1)) < 3', ['assert (len(f(1)) < 3) is Ellipsis']],
    ['with mock.patch("x"):\n    assert f(1) == 3', ['assert f(1) == N']],
    ['assert_equal(f(1), 3)', ['assert_equal(f(1), N)']],
    ['np.testing.assert_allclose(f(1), [1.5, x])', ['np.testing.assert_allclose(f(1), [N.5, x])']],
    ['def inner():\n    return 1\nassert f(inner) == 3', ['assert f(inner) == N']],
  ])('beside `%s` assert %j', (body, others) => {
    expect(othersOf(body).map((line) => line.replace('NotImplemented', 'Ellipsis'))).toEqual(others)
  })

  it.each([
    ['self.assertEqual(f(1), [3])', 'self.assertEqual(f(1), [N])'],
    ['self.assertEqual(f(1), g(2), "why")', 'self.assertEqual(f(1), [g(2), N], "why")'],
    ['self.assertEqual(\n    f(1),\n    3,  # three\n)', 'N,  # three'],
    ['self.assertListEqual(f(1), ["a", x])', 'self.assertListEqual(f(1), ["aN", x])'],
    ['self.assertAlmostEqual(f(1), 0.5)', 'self.assertAlmostEqual(f(1), N.5)'],
    ['self.assertIn("a", f(1))', 'self.assertIn("aN", f(1))'],
    ['self.assertTrue(f(1) == 3)', 'self.assertTrue(f(1) == N)'],
    ['self.assertTrue(f(1))', 'self.assertIs(f(1), Ellipsis)'],
    ['self.assertIsNone(f(1))', 'self.assertIs(f(1), Ellipsis)'],
    ['self.assertNotEqual(f(1), 3)', 'self.assertIs(f(1), Ellipsis)'],
  ])('beside `%s` assert `%s` in a method', (body, other) => {
    const others = othersOf(body, 'def test_one(self):', ' '.repeat(8))
    expect(others.map((line) => line.replace('NotImplemented', 'Ellipsis').replace('"Na"', '"aN"'))).toEqual([
      other,
    ])
  })

  it.each([
    ['nothing to contradict', 'f(1)'],
    ['an assertion that a loop may never come to', 'for n in f(1):\n    assert n == 3'],
    ['an assertion under a condition', 'if f(1):\n    assert f(1) == 3'],
    ['an assertion that an error is awaited from', 'with pytest.raises(E):\n    assert f(1) == 3'],
    ['an assertion after a way out', 'if f(1):\n    return\nassert f(1) == 3'],
    ['a skip', 'if f(1):\n    pytest.skip("no")\nassert f(1) == 3'],
    ['several statements in a line', 'assert f(1) == 3; x = 1'],
    ['an assertion in another function', 'def inner():\n    assert f(1) == 3'],
  ])('assert values of their own beside %s', (_, body) => {
    expect(othersOf(body)).toEqual([
      expect.stringMatching(/^values = list\(range\(\d\)\)$/),
      expect.stringMatching(/^assert len\(values\) == (?:\d|N)$/),
    ])
  })

  it('keep the decorators and the line ends of what they copy', () => {
    const source = '@pytest.mark.parametrize("n", TABLE)\r\ndef test_one(n):\r\n    assert f(n) == 3\r\n'
    const planted = plant(1, source)?.source ?? ''
    expect(planted.match(/@pytest/g)).toHaveLength(2)
    expect(planted.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it.each([
    ['a file without tests', 'def helper():\n    return 1\n'],
    ['a file whose tests stand in a condition', 'if True:\n    def test_a():\n        pass\n'],
    ['a file whose tests stand in a string', '"""\ndef test_a():\n    pass\n"""\n'],
    ['an empty file', ''],
  ])('have no place in %s', (_, source) => {
    expect(plant(1, source)).toBeUndefined()
  })
})

test.prop([fc.nat(), fc.string({ unit: 'binary', maxLength: 60 })])(
  'canaries never take a line away, whatever the file holds',
  (seed, junk) => {
    const source = `${SOURCE}\n${junk}\ndef test_last():\n    assert 1 == 1\n`
    const planted = plant(seed, source)
    const lines = planted?.source.split(/\r?\n/) ?? []
    const kept = source.split(/\r?\n/).filter((line) => line.trim() !== '')
    let at = 0
    for (const line of lines) if (line === kept[at]) at += 1
    expect(planted === undefined ? kept.length : at).toBe(kept.length)
  },
)
