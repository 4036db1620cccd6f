import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../pure/shuffle.ts'
import { plantPythonCanary } from './python-canary.ts'
import { topLines } from './python-places.ts'

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
  plantPythonCanary(source, 'tests/test_a.py', seededRandom(seed))

describe('topLines', () => {
  it('are those outside strings, brackets and comments', () => {
    expect(topLines(SOURCE).map(({ text }) => text)).toEqual([
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
})

describe('a canary in a file for pytest', () => {
  it('is a copy of a neighbour that contradicts it, and all else stays', () => {
    const canary = plant(3)
    const name = canary?.test.split('::')[1] ?? ''
    expect(name).toMatch(/^test_\w+$/)
    expect(canary?.test).toBe(`tests/test_a.py::${name}`)
    const at = canary?.source.indexOf(`def ${name}(`) ?? -1
    expect(canary?.source.slice(at)).toMatch(
      /assert helper\(\) == (?:1|\d+)\n {4}assert helper\(\) == (?:1|\d+)\n/,
    )
    const values = [...(canary?.source.matchAll(/helper\(\) == (\d+)$/gm) ?? [])].map(([, value]) => value)
    expect(new Set(values).size).toBe(2)
  })

  it('is the same for the same seed, and has many places and names', () => {
    const all = Array.from({ length: 40 }, (_, seed) => plant(seed))
    expect(plant(7)).toEqual(plant(7))
    expect(new Set(all.map((one) => one?.test)).size).toBeGreaterThan(3)
    expect(
      new Set(all.map((one) => one?.source.indexOf(`def ${one.test.split('::')[1] ?? ''}(`))).size,
    ).toBeGreaterThan(3)
  })

  it('compares values of its own where no test lends itself to that', () => {
    const source = 'def test_nothing():\n    pass\n'
    expect(plant(1, source)?.source).toMatch(/values = list\(range\(\d\)\)\n {4}assert len\(values\) == \d+/)
  })

  it.each([
    ['a file without tests', 'def helper():\n    return 1\n'],
    ['a file whose tests stand in a condition', 'if True:\n    def test_a():\n        pass\n'],
    ['a file whose tests stand in a string', '"""\ndef test_a():\n    pass\n"""\n'],
    ['an empty file', ''],
  ])('has no place in %s', (_, source) => {
    expect(plant(1, source)).toBeUndefined()
  })
})

test.prop([fc.nat(), fc.string({ unit: 'binary', maxLength: 60 })])(
  'never takes a line away, whatever the file holds',
  (seed, junk) => {
    const source = `${SOURCE}\n${junk}\ndef test_last():\n    assert 1 == 1\n`
    const canary = plant(seed, source)
    const lines = canary?.source.split('\n') ?? []
    const kept = source.split('\n').filter((line) => line.trim() !== '')
    let at = 0
    for (const line of lines) if (line === kept[at]) at += 1
    expect(canary === undefined ? kept.length : at).toBe(kept.length)
  },
)
