import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../pure/shuffle.ts'
import { plantJsCanaries } from './js-canary.ts'
import { maskJs } from './js-mask.ts'
import { findJsTests, jsSource } from './js-tests.ts'

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
const plant = (source: string, seed = 3) =>
  plantJsCanaries(source, 'test/a.test.js', { random: seededRandom(seed) })

/** What is asserted in canaries and nowhere else. */
function othersOf(source: string): readonly string[] {
  const before = new Set(source.split('\n').map((line) => line.trim()))
  return (plant(source)?.source.split('\n') ?? [])
    .map((line) => line.trim())
    .filter((line) => line !== '' && !before.has(line) && !/^(?:it|test)[.(]/.test(line))
    .map((line) => line.replaceAll(/\d\d+|(?<=, )\d(?=\])|(?<=Symbol\(')\d/g, 'N'))
}
const ofBody = (body: string, head = "it('is one', async () => {") => othersOf(`${head}\n  ${body}\n})\n`)

describe('a mask', () => {
  it.each([
    [`a('(', "\\"[", \`{\${b('}')}\`) // )`, `a('_', "___", \`__________\`)     `],
    ['a = b / c / d', 'a = b / c / d'],
    ['a = /[/(]+/.test(b)', 'a = /_____/.test(b)'],
    ['return /\\//', 'return /__/'],
    ['a /* ( \n */ + 1', 'a      \n    + 1'],
  ])('of %j keeps what is code', (source, mask) => {
    expect(maskJs(source)).toBe(mask)
  })

  property.prop([fc.string({ unit: 'binary', maxLength: 80 })])('is as long as its source', (source) => {
    expect(maskJs(source)).toHaveLength(source.length)
  })
})

describe('tests that are run as they stand', () => {
  it('are those in plain groups', () => {
    expect(findJsTests(jsSource(FILE)).map(({ name, groups }) => [name, groups])).toEqual([
      ['adds one to a number', ['f']],
      ["keeps what is 'quoted'", ['f', 'with text']],
      ['stops at the end', ['f', 'with text']],
    ])
  })

  it.each([
    ["it('a', () => expect(1).toBe(1))", ['a']],
    ["it('a', { timeout: 5 }, async function named(t) { x() })", ['a']],
    ['test(\n  `a`,\n  async ({ page }) => {\n    x()\n  },\n  500,\n)', ['a']],
    ["it.each([[1, 'b)']])('a %s', (n) => { x(n) })", ['a %s']],
    ["function help() {\n  it('a', () => {})\n}", []],
    ["it.skip('a', () => {})\nrunner.it('a', () => {})\nit(`a ${n}`, () => {})\nit('a')", []],
    ["const all = [\n  it('a', () => {}),\n]", []],
    ["if (x) it('a', () => {})", []],
  ])('in %j are %j', (source, names) => {
    expect(findJsTests(jsSource(source)).map(({ name }) => name)).toEqual(names)
  })
})

describe('canaries', () => {
  it('are neighbours that contradict themselves', () => {
    const planted = plant(FILE)
    expect(planted?.canaries.map(({ test }) => test.replace(/[^>]+$/, ' …')).sort()).toEqual([
      'test/a.test.js > f > with text > …',
      'test/a.test.js > f > …',
    ])
    const lines = planted?.source.split('\n') ?? []
    const [first] = planted?.canaries.filter(({ model }) => model === 0) ?? []
    const at = lines.findIndex((line) => line.includes(`'${first?.test.split(' > ').at(-1) ?? ''}'`))
    const values = lines
      .slice(at + 1, at + 3)
      .map((line) => Number(/^ {4}expect\(f\(input\)\)\.toBe\((\d+)\)$/.exec(line)?.[1]))
    expect(values).toContain(2)
    expect(new Set(values).size).toBe(2)
    expect(lines[at + 3]).toBe('  })')
  })

  it.each([
    ['expect(f(1)).toBe(3)', 'expect(f(1)).toBe(N)'],
    ['expect(f(1)).toEqual([x])', 'expect(f(1)).toEqual([[x], N])'],
    ['expect(f(1)).toEqual({ a: [1, x] });', 'expect(f(1)).toEqual({ a: [N, x] });'],
    ['expect(f(1)).toEqual({ ...x, a: 1 })', 'expect(f(1)).toEqual([{ ...x, a: 1 }, N])'],
    ["expect(f(1)).toEqual(x ? 'a' : 'b')", "expect(f(1)).toEqual([x ? 'a' : 'b', N])"],
    ['await expect(f(1)).resolves.toEqual(3)', 'await expect(f(1)).resolves.toEqual(N)'],
    ['expect(f(1)).toHaveLength(3)', 'expect(f(1)).toHaveLength(N)'],
    ['expect(f(1)).toBe(true)', 'expect(f(1)).toBe(N)'],
    ['expect(f(1)).to.deep.equal([3])', 'expect(f(1)).to.deep.equal([N])'],
    ['expect(f(1)).to.be.true', "expect(f(1)).to.equal(Symbol('N'))"],
    ['expect(f(1)).toBeTruthy()', "expect(f(1)).toBe(Symbol('N'))"],
    ['expect(f(1)).not.toEqual(3)', "expect(f(1)).toBe(Symbol('N'))"],
    ['assert.deepStrictEqual(f(1), [3])', 'assert.deepStrictEqual(f(1), [N])'],
    ['assert.equal(3, f(1))', 'assert.equal(N, f(1))'],
    ['t.deepEqual(f(1), x, "why")', 't.deepEqual(f(1), [x, N], "why")'],
    ['assert(f(1))', "assert.strictEqual(f(1), Symbol('N'))"],
    ['const g = () => { return 1 }\n  expect(f(g)).toBe(3)', 'expect(f(g)).toBe(N)'],
  ])('beside `%s` have `%s`', (body, other) => {
    const said = ofBody(body).map((line) => line.replace(/(?<=\[|\[\{)\d(?=,)/, 'N'))
    expect(said).toEqual([other])
  })

  it('stand on one line where their neighbours do', () => {
    const source = "it('one', () => expect(f(1)).toEqual(['a']))\n"
    expect(plant(source)?.source.split('\n')[1]).toMatch(
      /^it\('one \w+(?: \w+)*', \(\) => \{ expect\(.*\).toEqual\(\['\w+'\]\); expect\(.*\).toEqual\(\['\w+'\]\) \}\)$/,
    )
  })

  it('of tests with a table have a name that is the same for each of its rows', () => {
    const source =
      "it.each([1, 2])('has %s in it', (n) => {\n  expect(f(n)).toEqual(3)\n})\nit('is plain', () => {})\n"
    expect(plant(source)?.canaries[0]?.test).toMatch(/^test\/a\.test\.js > (?:is )?plain/)
  })

  it.each([
    ['nothing to contradict', 'check(f)'],
    ['an error that is awaited', 'expect(() => f(1)).toThrow()'],
    ['a loop', 'for (const n of f(1)) {\n    expect(n).toBe(3)\n  }'],
    ['a way out', 'if (f(1)) return\n  expect(f(1)).toBe(3)'],
    ['a count of assertions', 'expect.assertions(1)\n  expect(f(1)).toBe(3)'],
    ['a snapshot', 'expect(f(1)).toMatchSnapshot()\n  expect(f(1)).toBe(3)'],
    ['a skip', 't.skip()\n  expect(f(1)).toBe(3)'],
    ['a callback', 'f((n) => {\n    expect(n).toBe(3)\n  })'],
  ])('compare values of their own beside %s', (_, body) => {
    expect(ofBody(body)).toEqual([
      expect.stringMatching(/^const values = Array\.from/),
      expect.stringMatching(/^expect\(values\.length\)\.toBe\(|^if \(values\.length/),
    ])
  })

  it.each([
    [
      'assert.deepStrictEqual',
      "const add = test\nadd('a', () => {})\nit.only('a b', () => assert.deepStrictEqual)\nassert.deepStrictEqual(1, 1)\n",
      'assert.deepStrictEqual(values',
    ],
    ['chai', "it.only('a b', () => expect(f()).to.equal(1))", 'expect(values.length).to.equal('],
    ['nothing that is known', "it('a b', function () { check(f) })", 'throw new Error('],
  ])('in a file of another form stand at its end, and use %s', (_, source, expected) => {
    const planted = plant(source)
    expect(planted?.source.startsWith(source)).toBe(true)
    expect(planted?.source.slice(source.length)).toContain(expected)
    expect(planted?.canaries).toEqual([{ test: expect.stringMatching(/^test\/a\.test\.js > [ab]/) }])
  })

  it.each(['', 'export const helper = 1\n', "runner.test('a', () => {})\n"])(
    'are not put where no test is called: %j',
    (source) => {
      expect(plant(source)).toBeUndefined()
    },
  )

  property.prop([fc.nat()])('are all that is added, and have names of their own', (seed) => {
    const planted = plant(FILE, seed)
    const lines = planted?.source.split('\n') ?? []
    let at = 0
    for (const line of lines) if (line === FILE.split('\n')[at]) at += 1
    expect(at).toBe(FILE.split('\n').length)
    const tests = findJsTests(jsSource(planted?.source ?? ''))
    const ids = tests.map(({ groups, name }) => ['test/a.test.js', ...groups, name].join(' > '))
    expect(new Set(ids).size).toBe(5)
    expect(ids).toEqual(expect.arrayContaining(planted?.canaries.map(({ test }) => test) ?? []))
  })

  it('keep the file’s line ends', () => {
    const planted = plant(FILE.replaceAll('\n', '\r\n'))
    expect(planted?.source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })
})
