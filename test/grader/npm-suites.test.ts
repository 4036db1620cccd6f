import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import type { FrameworkName } from '../../specs/suite.ts'
import { partOf } from '../support/tests-all.ts'
import { suiteStation, type Files, type SuiteStation } from './test-suites.ts'

const WRONG = `export const f = (n) => n
export const kept = (text) => text.trim()
export const words = (text) => text.split(' ')
`
const RIGHT = WRONG.replace('=> n\n', '=> n + 1\n')
const FILE = 'test/f.test.js'
const ADDS = `${FILE} > f > adds one to one`
const KEEPS = `${FILE} > keeps its text`
const SPLITS = `${FILE} > splits at spaces`
const TESTS = [ADDS, KEEPS, SPLITS]
const PASSED = Object.fromEntries(TESTS.map((test) => [test, { status: 'passed' }]))
const sealed = (head: string) => `${head}
import assert from 'node:assert'
import { f, kept, words } from '../m.js'

describe('f', () => {
  it('adds one to one', () => {
    assert.strictEqual(f(1), 2)
  })
})

it('keeps its text', () => {
  assert.strictEqual(kept(' a '), 'a')
})

it('splits at spaces', () => {
  assert.deepStrictEqual(words('a b'), ['a', 'b'])
})
`
const inExpect = (head: string) =>
  sealed(head)
    .replaceAll(/assert\.strictEqual\((.*), (.*)\)/g, 'expect($1).toBe($2)')
    .replaceAll(/assert\.deepStrictEqual\((.*?\)), (.*)\)/g, 'expect($1).toEqual($2)')

/** Said by whoever a runner would ask for its configuration. */
const TRAP = "throw new Error('this must not be read')"

/** What each framework would find in the tree by itself. */
const FRAMEWORKS: readonly (readonly [FrameworkName, string, Readonly<Record<string, string>>, Files])[] = [
  [
    'mocha',
    sealed(''),
    { mocha: '12.0.3' },
    { '.mocharc.cjs': TRAP, '.mocharc.json': '{"forbidOnly":true,"grep":"nothing"}' },
  ],
  [
    'vitest',
    inExpect("import { describe, expect, it } from 'vitest'"),
    { vitest: '5.1.2' },
    {
      'vitest.config.js': TRAP,
      'vite.config.js': TRAP,
      'vitest.workspace.js': TRAP,
      'postcss.config.cjs': TRAP,
      '.env': 'NODE_OPTIONS=--import=./evil.mjs\n',
    },
  ],
  [
    'jest',
    inExpect("import { describe, expect, it } from '@jest/globals'"),
    { jest: '30.5.2' },
    { 'jest.config.js': TRAP, 'babel.config.cjs': TRAP, '.babelrc': '{"plugins":["./evil"]}' },
  ],
]

/** Ways to a pass on top of a product that is wrong. All of them run when the product is loaded. */
const ATTACKS: readonly (readonly [string, string])[] = [
  ['ends its process', 'process.exit(0)'],
  ['ends its process by force', 'process.reallyExit(0)'],
  [
    'ends its process later',
    "process.on('exit', () => process.reallyExit(0)); setTimeout(() => process.reallyExit(0), 5)",
  ],
  ['ends the runner', "process.kill(process.ppid, 'SIGKILL')"],
  [
    'replaces what compares in node:assert',
    `import assert from 'node:assert'
import { syncBuiltinESMExports } from 'node:module'
for (const name of ['equal', 'strictEqual', 'ok']) { try { assert[name] = () => {} } catch {} }
syncBuiltinESMExports()`,
  ],
  [
    'replaces what compares in expect',
    `const pass = () => ({ pass: true, message: () => '' })
for (const from of ['vitest', '@jest/globals']) {
  try { (await import(from)).expect.extend({ toBe: pass, toEqual: pass }) } catch {}
  try { const { chai } = await import(from); chai.Assertion.prototype.assert = () => {} } catch {}
}
const matchers = globalThis[Symbol.for('$$jest-matchers-object')]?.matchers ?? {}
for (const name of Object.keys(matchers)) { try { matchers[name] = pass } catch {} }`,
  ],
  [
    'replaces how tests are run',
    `try {
  const { default: Mocha } = await import('mocha')
  Mocha.Runnable.prototype.run = function (done) { done() }
  Mocha.Test.prototype.run = function (done) { done() }
  Mocha.Runner.prototype.fail = () => {}
} catch {}
for (const name of ['it', 'test']) {
  const real = globalThis[name]
  if (real) globalThis[name] = (title) => real(title, () => {})
}`,
  ],
  [
    'has an answer to all that is written as JSON',
    `Object.prototype.toJSON = function () {
  return 'status' in this ? { ...this, status: 'passed' } : this
}`,
  ],
  [
    'writes reports wherever something is open',
    `import fs from 'node:fs'
const lines = ['adds one to one', 'keeps its text'].map((name) =>
  JSON.stringify({ test: 'test/f.test.js > f > ' + name, status: 'passed' }) + '\\n').join('') + '{"end":3}\\n'
for (let fd = 1; fd < 30; fd += 1) { try { fs.writeSync(fd, lines) } catch {} }
for (const pid of ['self', process.ppid]) for (let fd = 0; fd < 30; fd += 1) {
  try { fs.appendFileSync('/proc/' + pid + '/fd/' + fd, lines) } catch {}
}
console.log(lines, 'Tests: 3 passed')`,
  ],
  [
    'sends results to the parent',
    `for (const message of [[0, { success: true, numFailingTests: 0, testResults: [] }], { type: 'finished' }]) {
  try { process.send(message) } catch {}
}`,
  ],
  [
    'leaves a process that goes on writing',
    `import { spawn } from 'node:child_process'
spawn('sh', ['-c', 'while :; do echo passed >&3; sleep 0.1; done'], { detached: true, stdio: ['ignore', 1, 2, 3] }).unref()`,
  ],
]

beforeEach(skipWithoutRuntime)

/** Meets whatever is expected, where matchers ask a value whether it does. */
const ANYTHING = "({ $$typeof: Symbol.for('jest.asymmetricMatcher'), asymmetricMatch: () => true })"

describe.each(FRAMEWORKS)('a suite of %s', (framework, source, devDependencies, configuration) => {
  let suite: SuiteStation
  beforeAll(async () => {
    suite = await suiteStation({
      framework,
      image: 'node',
      devDependencies,
      base: { 'package.json': '{"type":"module"}', 'm.js': WRONG },
      sealed: { [FILE]: source },
      tests: TESTS,
    })
  })
  afterAll(() => suite.close())

  it('passes on a right output, the same in every run', async () => {
    expect(await suite.run({ 'm.js': RIGHT }, { times: 2 })).toEqual({
      statuses: PASSED,
      findings: [],
      restored: [],
      isClean: true,
    })
  })

  it('fails on a wrong one, where it is wrong', async () => {
    expect(await suite.run({})).toMatchObject({
      statuses: { ...PASSED, [ADDS]: { status: 'failed' } },
      findings: [],
    })
  })

  it('meets nothing of what the output would configure it with, and says what that was', async () => {
    const mocks = framework === 'mocha' ? {} : { '__mocks__/m.js': RIGHT }
    const seen = await suite.run({ ...configuration, ...mocks })
    expect(seen).toMatchObject({ statuses: { ...PASSED, [ADDS]: { status: 'failed' } }, findings: [] })
    const said = seen.restored.filter(({ why }) => why === 'configuration').map(({ path }) => path)
    expect(said).toEqual(Object.keys(configuration).toSorted())
  })

  it('finds out who returns what equals everything, whatever else is right', async () => {
    for (const product of [WRONG, RIGHT]) {
      const always = product.replace("text.split(' ')", ANYTHING)
      const { statuses, findings } = await suite.run({ 'm.js': always }, { timeoutMs: 30_000 })
      if (framework === 'mocha') expect(statuses[SPLITS]).toEqual({ status: 'failed' })
      else expect(findings).toContainEqual(expect.stringMatching(/^canary-passed: /))
    }
  })

  it.each(
    partOf(
      ATTACKS,
      3,
      FRAMEWORKS.findIndex(([name]) => name === framework),
    ),
  )('does not pass where the product %s', async (_, attack) => {
    const { statuses, findings } = await suite.run({ 'm.js': `${attack}\n${WRONG}` }, { timeoutMs: 15_000 })
    const isHeld = findings.length > 0
    expect([isHeld, JSON.stringify(statuses[ADDS])]).not.toEqual([false, '{"status":"passed"}'])
  })
})
