import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { findTestBlocks } from './js-blocks.ts'
import { plantJsCanary } from './js-canary.ts'

const FILE = `import { describe, expect, it } from 'vitest'
import { f } from '../m.js'

describe('f', () => {
  const input = 1

  it('adds one to a number', () => {
    expect(f(input)).toBe(2)
  })

  describe('with text', () => {
    it("keeps what is 'quoted'", async () => {
      const text = await f('a')
      expect(text).toEqual('a1')
    })

    it('stops at the end', () => {
      if (f(2) === 3) return
      expect(f(2)).toBe(3)
    })
  })
  for (const n of [1, 2]) {
    it('is in a loop', () => {
      expect(f(n)).toBe(n + 1)
    })
  }
})

describe.skip('not now', () => {
  it('is skipped', () => {
    expect(f(1)).toBe(2)
  })
})
`

/** Numbers that come again and again. */
const sequence = (...numbers: readonly number[]) => {
  let at = 0
  return () => numbers[at++ % numbers.length] ?? 0
}

describe('tests that can be told from their layout', () => {
  it('are those in plain groups', () => {
    expect(findTestBlocks(FILE.split('\n')).map(({ name, groups }) => [name, groups])).toEqual([
      ['adds one to a number', ['f']],
      ["keeps what is 'quoted'", ['f', 'with text']],
      ['stops at the end', ['f', 'with text']],
    ])
  })
})

describe('a canary', () => {
  it('is a neighbour that contradicts itself', () => {
    const planted = plantJsCanary(FILE, 'test/a.test.js', sequence(0, 0, 0.1, 0.9, 0.5))
    expect(planted?.test).toMatch(/^test\/a\.test\.js > f > [\w ]+$/)
    const lines = planted?.source.split('\n') ?? []
    const at = lines.findIndex((line) => line.includes(`'${planted?.test.split(' > ').at(-1) ?? ''}'`))
    const comparisons = lines
      .slice(at + 1, at + 3)
      .map((line) => /^ {4}expect\(f\(input\)\)\.toBe\((\d+)\)$/.exec(line))
    const values = comparisons.map((found) => Number(found?.[1]))
    expect(values).toContain(2)
    expect(new Set(values).size).toBe(2)
    expect(lines[at + 3]).toBe('  })')
  })

  it('makes its own comparison where a neighbour may end early', () => {
    const source = FILE.replaceAll(/expect\(.*\)\.to\w+\(.*\)/g, 'check(f)')
    const planted = plantJsCanary(`${source}\nexpect(1)`, 'a.js', sequence(0.4))
    expect(planted?.source).toMatch(/^\s+expect\(values\.length\)\.toBe\(\d+\)$/m)
  })

  it.each([
    [
      'assert.deepStrictEqual',
      "test('a b', () => assert.deepStrictEqual(f(), 1))\n",
      'assert.deepStrictEqual(values',
    ],
    ['chai', "it('a b', () => expect(f()).to.equal(1))", 'expect(values.length).to.equal('],
    ['nothing that is known', "it('a b', function () { check(f) })", 'throw new Error('],
  ])('in a file of another form stands at its end, and uses %s', (_, source, expected) => {
    const planted = plantJsCanary(source, 'a.js', sequence(0.4))
    expect(planted?.source.startsWith(source)).toBe(true)
    expect(planted?.source.slice(source.length)).toContain(expected)
    expect(planted?.test).toMatch(/^a\.js > [ab]/)
  })

  it.each(['', 'export const helper = 1\n', "runner.test('a', () => {})\n"])(
    'is not put where no test is called: %j',
    (source) => {
      expect(plantJsCanary(source, 'a.js', sequence(0.4))).toBeUndefined()
    },
  )

  property.prop([fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))])(
    'is all that is added, and has a name of its own',
    (numbers) => {
      const planted = plantJsCanary(FILE, 'test/a.test.js', () => numbers.next().value as number)
      const lines = planted?.source.split('\n') ?? []
      const extra = lines.length - FILE.split('\n').length
      const start = lines.findIndex((line, index) => line !== FILE.split('\n')[index])
      expect(lines.toSpliced(start, extra).join('\n')).toBe(FILE)
      const names = findTestBlocks(lines).map(({ groups, name }) => [...groups, name].join(' > '))
      expect(names.filter((name) => `test/a.test.js > ${name}` === planted?.test)).toHaveLength(1)
    },
  )

  it('keeps the file’s line ends', () => {
    const planted = plantJsCanary(FILE.replaceAll('\n', '\r\n'), 'a.js', sequence(0.2))
    expect(planted?.source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })
})
