import { describe, expect, it } from 'vitest'
import { seededRandom } from '../pure/shuffle.ts'
import { runSuite, type SuiteRun } from '../testing/run-suite.ts'
import type { SuiteFramework } from './framework.ts'
import { jest } from './jest.ts'
import { mocha } from './mocha.ts'
import { vitest } from './vitest.ts'

/** How a framework writes what all of them can say. */
interface Dialect {
  readonly framework: SuiteFramework
  /** First lines of a sealed file. */
  readonly head: string
  readonly todo: string
  readonly retried: string
}

const ASSERT = "import assert from 'node:assert'\nimport { f } from '../m.js'\n"
const DIALECTS: readonly Dialect[] = [
  {
    framework: mocha,
    head: ASSERT,
    todo: "it('todo')",
    retried: "it('retried', function () { this.retries(2); tries += 1; assert.equal(tries, 2) })",
  },
  {
    framework: vitest,
    head: `import { describe, it } from 'vitest'\n${ASSERT}`,
    todo: "it.todo('todo')",
    retried: "it('retried', { retry: 2 }, () => { tries += 1; assert.equal(tries, 2) })",
  },
  {
    framework: jest,
    head: `import { jest } from '@jest/globals'\njest.retryTimes(2)\n${ASSERT}`,
    todo: "it.todo('todo')",
    retried: "it('retried', () => { tries += 1; assert.equal(tries, 2) })",
  },
]
const SECONDS = 60_000

const PRODUCT = { 'package.json': '{"type":"module"}', 'm.js': 'export const f = (n) => n + 1\n' }
const statuses = (run: SuiteRun) => Object.fromEntries(run.results)

describe.each(DIALECTS)('$framework.name', ({ framework, head, todo, retried }) => {
  const run = (files: Readonly<Record<string, string>>, sealed = ['test/a.test.js']) =>
    runSuite(framework, { ...PRODUCT, ...files }, sealed)

  it(
    'reports every test as what it came to',
    async () => {
      const source = `${head}
let tries = 0
describe('f', () => {
  it('is right', () => assert.equal(f(1), 2))
  it('is wrong', () => assert.equal(f(1), 3))
  it.skip('skipped', () => {})
  ${todo}
  ${retried}
})
it('twice', () => {})
it('twice', () => {})
it('later', async () => { await null; assert.equal(f(2), 3) })`
      const result = await run({ 'test/a.test.js': source })
      expect(result.results.toSorted()).toEqual([
        ['test/a.test.js > f > is right', 'passed'],
        ['test/a.test.js > f > is wrong', 'failed'],
        ['test/a.test.js > f > retried', 'failed'],
        ['test/a.test.js > f > skipped', 'skipped'],
        ['test/a.test.js > f > todo', framework.name === 'mocha' ? 'skipped' : 'todo'],
        ['test/a.test.js > later', 'passed'],
        ['test/a.test.js > twice', 'passed'],
        ['test/a.test.js > twice', 'passed'],
      ])
      expect(result).toMatchObject({ exit: { code: 1 }, agrees: true, report: { end: 8, problems: [] } })
    },
    SECONDS,
  )

  it(
    'ends with 0 when all pass; files of other kinds and names run, too',
    async () => {
      const test = "it('is right', () => { const n: number = f(1); assert.equal(n, 2) })\n"
      const sealed = ['test/[b] (c).test.ts', 'd.mjs']
      const result = await run(
        {
          'test/[b] (c).test.ts': head + test,
          'd.mjs': (head + test).replace('../m', './m').replace(': number', ''),
        },
        sealed,
      )
      expect(statuses(result)).toEqual({
        'test/[b] (c).test.ts > is right': 'passed',
        'd.mjs > is right': 'passed',
      })
      expect(result).toMatchObject({ exit: { code: 0 }, agrees: true, report: { end: 2, problems: [] } })
    },
    SECONDS,
  )

  it(
    'who asks for one test alone gets it, and the others do not pass',
    async () => {
      const source = `${head}it.only('a', () => {})\nit('b', () => {})`
      const result = statuses(await run({ 'test/a.test.js': source }))
      expect(result['test/a.test.js > a']).toBe('passed')
      expect(result['test/a.test.js > b']).not.toBe('passed')
    },
    SECONDS,
  )

  it(
    'a file that ends its process or does not load passes nothing, and takes no other with it',
    async () => {
      const wrong = ['process.exit(0)', 'process.reallyExit(0)', 'throw new Error()', 'export const = 1']
      const sealed = [
        ...wrong.map((_, index) => `test/w${index}.test.js`),
        'test/in-test.test.js',
        'test/z.test.js',
      ]
      const files = Object.fromEntries(
        wrong.map((line, index) => [
          `test/w${index}.test.js`,
          `${head}it('a', () => {})\n${line}\nit('b', () => {})`,
        ]),
      )
      const result = await run(
        {
          ...files,
          'test/in-test.test.js': `${head}it('a', () => {})\nit('b', () => process.reallyExit(0))`,
          'test/z.test.js': `${head}it('a', () => {})`,
        },
        sealed,
      )
      expect(statuses(result)).toEqual({ 'test/z.test.js > a': 'passed' })
      expect(result.agrees).toBe(true)
    },
    SECONDS,
  )

  it(
    'canaries fail, beside neighbours that pass',
    async () => {
      const source = `${head}
describe('f', () => {
  it('adds one to one', () => {
    assert.equal(f(1), 2)
  })

  it('adds one to two', () => {
    assert.strictEqual(String(f(2)), '3')
  })
})
`
      const planted = framework.plantCanaries(source, 'test/a.test.js', { random: seededRandom(37) })
      const result = await run({ 'test/a.test.js': planted?.source ?? '' })
      expect(planted?.canaries).toHaveLength(2)
      expect(statuses(result)).toEqual({
        'test/a.test.js > f > adds one to one': 'passed',
        'test/a.test.js > f > adds one to two': 'passed',
        ...Object.fromEntries(planted?.canaries.map(({ test }) => [test, 'failed']) ?? []),
      })
    },
    SECONDS,
  )
})

describe('where a framework is not to be had', () => {
  it.each([
    ['there is none', {}],
    ['it is too old', { 'node_modules/FRAMEWORK/package.json': '{"version":"0.9.1"}' }],
  ])('the report says so: %s', async (_, files: Readonly<Record<string, string>>) => {
    for (const { framework } of DIALECTS) {
      const tree = Object.entries(files).map(([path, text]) => [
        path.replace('FRAMEWORK', framework.name),
        text,
      ])
      const result = await runSuite(framework, Object.fromEntries(tree) as typeof files, ['a.js'], 'none')
      expect(result.report.unavailable).toMatch(
        new RegExp(`^${framework.name} \\d+ or newer is not installed$`),
      )
    }
  })
})
