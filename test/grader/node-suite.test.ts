import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import { suiteStation, type Files, type SuiteStation } from './test-suites.ts'

const WRONG = 'exports.add = (a, b) => a - b\nexports.keep = (a) => a\n'
const RIGHT = WRONG.replace('a - b', 'a + b')
const SEALED = `const { describe, it, test } = require('node:test')
const assert = require('node:assert')
const { add, keep } = require('..')

test('adds small numbers', () => {
  assert.strictEqual(add(1, 2), 3)
})

describe('add', () => {
  it('adds five and six', () => {
    assert.strictEqual(add(5, 6), 11)
  })
})

test('keeps one', () => {
  assert.strictEqual(keep(1), 1)
})
`
const FILE = 'test/calc.test.js'
const TESTS = [`${FILE} > adds small numbers`, `${FILE} > add > adds five and six`, `${FILE} > keeps one`]
const PASSED = Object.fromEntries(TESTS.map((test) => [test, { status: 'passed' }]))

let suite: SuiteStation
beforeEach(skipWithoutRuntime)
beforeAll(async () => {
  const base: Files = { 'package.json': '{"name":"calc","main":"calc.js"}', 'calc.js': WRONG }
  const sealed = { [FILE]: SEALED }
  suite = await suiteStation({ framework: 'node-test', image: 'node', base, sealed, tests: TESTS })
})
afterAll(() => suite.close())

describe('a suite of node:test', () => {
  it('passes on a right output, the same in every run', async () => {
    const seen = await suite.run({ 'calc.js': RIGHT }, { times: 2 })
    expect(seen).toEqual({ statuses: PASSED, findings: [], restored: [], isClean: true })
  })

  it('fails on a wrong one, where it is wrong', async () => {
    const { statuses, findings } = await suite.run({})
    expect(findings).toEqual([])
    expect(Object.values(statuses)).toEqual([
      { status: 'failed' },
      { status: 'failed' },
      { status: 'passed' },
    ])
  })

  it('meets neither the tests nor the configuration of the output, and says so', async () => {
    const seen = await suite.run({
      'calc.js': RIGHT,
      [FILE]: '',
      'test/new.test.js': 'throw new Error()',
      '.npmrc': 'node-options=--require=./evil.js\n',
      'node.config.json': '{"nodeOptions":{"import":["./evil.js"]}}',
      'evil.js': 'process.exit(0)',
    })
    expect(seen.isClean).toBe(true)
    expect(seen.restored).toEqual([
      { path: '.npmrc', why: 'configuration' },
      { path: 'node.config.json', why: 'configuration' },
      { path: FILE, why: 'sealed' },
      { path: 'test/new.test.js', why: 'tests' },
    ])
  })

  it('takes an output whose module does not load as failed, not as tampering', async () => {
    const { statuses, findings } = await suite.run({ 'calc.js': 'throw new Error("no")' })
    expect(findings).toEqual([])
    expect(new Set(Object.values(statuses))).toEqual(new Set(['unreachable']))
  })

  it('ends with its time', async () => {
    const { statuses } = await suite.run({ 'calc.js': 'for (;;);' }, { timeoutMs: 3000 })
    expect(new Set(Object.values(statuses))).toEqual(new Set(['timeout']))
  })
})

/** What a product would write where tests of node:test report to their parent. */
const FLIP = `
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = (chunk, ...rest) => write(Buffer.from(String(chunk).replaceAll('test:fail', 'test:pass')), ...rest)
process.on('exit', () => { process.exitCode = 0 })
`

/** Ways to pass without doing the work, each on top of a wrong fix. */
const ATTACKS: Readonly<Record<string, Files>> = {
  'process.exit at import': { 'calc.js': `process.exit(0)\n${WRONG}` },
  'process.exit in the call': { 'calc.js': WRONG.replace('a - b', 'process.exit(0)') },
  'process.reallyExit in the call': { 'calc.js': WRONG.replace('a - b', 'process.reallyExit(0)') },
  'frames that are rewritten on the way': { 'calc.js': FLIP + WRONG },
  'a node:assert that asserts nothing': {
    'calc.js': `const assert = require('node:assert')
for (const name of Object.keys(assert)) try { assert[name] = () => {} } catch {}
for (const name of Object.keys(assert.strict)) try { assert.strict[name] = () => {} } catch {}
require('node:module').syncBuiltinESMExports()\n${WRONG}`,
  },
  'a node:test whose tests do nothing': {
    'calc.js': `const t = require('node:test')
for (const name of ['test', 'it', 'describe', 'suite']) try { t[name] = (title) => t.default?.(title, () => {}) } catch {}
require('node:module').syncBuiltinESMExports()\n${WRONG}`,
  },
  'an AssertionError that cannot be thrown': {
    'calc.js': `const { AssertionError } = require('node:assert')
Object.setPrototypeOf(AssertionError, class { constructor() { process.reallyExit(0) } })\n${WRONG}`,
  },
  'Object.is that says yes': { 'calc.js': `Object.is = () => true\n${WRONG}` },
  'a value that is anything': {
    'calc.js': WRONG.replace('a - b', '({ valueOf: () => 3, [Symbol.toPrimitive]: () => 3 })'),
  },
  'a report on every descriptor': {
    'calc.js': `const fs = require('node:fs')
for (let n = 3; n < 30; n += 1) try { fs.writeSync(n, '{"test":"${TESTS[0] ?? ''}","status":"passed"}\\n{"end":3}\\n') } catch {}\n${WRONG}`,
  },
  'a detached child that goes on': {
    'calc.js': `require('node:child_process').spawn('sh', ['-c', 'sleep 1; echo "{}" >&3; kill -9 -1'], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 3] }).unref()\n${WRONG}`,
  },
  'the parent killed': { 'calc.js': `process.kill(process.ppid, 'SIGKILL')\n${WRONG}` },
  'its own report instead of ours': {
    'calc.js': `const fs = require('node:fs')
const { writeSync } = fs
fs.writeSync = (fd, bytes, ...rest) => writeSync(fd, Buffer.from(String(bytes).replaceAll('failed', 'passed')), ...rest)
const stringify = JSON.stringify
JSON.stringify = (value) => stringify(value).replaceAll('failed', 'passed')\n${WRONG}`,
  },
  'a test that is skipped from within': {
    'calc.js': `Error.captureStackTrace = () => { throw Object.assign(new Error('skip'), { skip: true }) }\n${WRONG}`,
  },
  'events of node:test that are changed': {
    'calc.js': `const { EventEmitter } = require('node:events')
const { Readable } = require('node:stream')
const push = Readable.prototype.push
Readable.prototype.push = function (chunk, ...rest) {
  if (chunk?.type === 'test:fail') chunk = { ...chunk, type: 'test:pass' }
  return push.call(this, chunk, ...rest)
}\n${WRONG}`,
  },
  'a package.json that sends tests elsewhere': {
    'package.json': '{"name":"calc","main":"calc.js","type":"module","exports":{".":"./evil.cjs"}}',
    'evil.cjs': 'process.exit(0)',
  },
  'a node_modules/node:test of its own': {
    'node_modules/test/index.js': 'process.exit(0)',
    'test/node_modules/assert/index.js': 'module.exports = { strictEqual() {} }',
  },
  'its folder of modules as a file of ours': { 'test/node_modules': { linkTo: '/tmp/run/set/node-test' } },
}

describe('an attack on a suite of node:test never passes', () => {
  it.each(Object.entries(ATTACKS))('%s', async (_, changes) => {
    const seen = await suite.run(changes, { timeoutMs: 20_000 })
    expect(seen.isClean).toBe(false)
    expect(Object.keys(seen.statuses).sort()).toEqual([...TESTS].sort())
  })
})

describe('a suite of a package within the tree', () => {
  const own = 'packages/a/test/unit/a.test.js'
  let nested: SuiteStation
  beforeAll(async () => {
    nested = await suiteStation({
      framework: 'node-test',
      image: 'node',
      base: {
        'packages/a/a.js': WRONG,
        'packages/a/test/same.js': "module.exports = require('assert').strictEqual",
      },
      sealed: {
        [own]: `const { test } = require('node:test')
const assert = require('node:assert')
const same = require('../same')
const { add, keep } = require('../../a')

test('adds', () => same(add(1, 2), 3))

test('keeps', () => {
  assert.strictEqual(keep(1), 1)
})
`,
      },
      tests: [`${own} > adds`, `${own} > keeps`],
    })
  })
  afterAll(() => nested.close())

  it('meets the helpers of base beside it, not those of the output', async () => {
    const helper = { 'packages/a/test/same.js': 'module.exports = () => {}' }
    const seen = await nested.run(helper)
    expect(seen.isClean).toBe(false)
    expect(seen.restored).toEqual([{ path: 'packages/a/test/same.js', why: 'tests' }])
    expect((await nested.run({ ...helper, 'packages/a/a.js': RIGHT })).isClean).toBe(true)
  })
})
