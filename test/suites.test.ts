import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GradedChange } from '../engine/grade/grade-change.ts'
import { documentOf } from './support/assay.ts'
import {
  BASE,
  CHECKS,
  patch,
  REQUEST,
  RIGHT,
  setFiles,
  suiteSetFiles,
  writeFiles,
  writeTask,
} from './support/double-task.ts'
import type { Seal } from '../specs/seal.ts'
import { openStation, type Station } from './support/station.ts'

const TESTS = `const { test } = require('node:test')
const assert = require('node:assert')
const { double, half } = require('..')

test('doubles two', () => {
  assert.strictEqual(double(2), 4)
})

test('doubles five', () => {
  assert.strictEqual(double(5), 10)
})

test('halves eight', () => {
  assert.strictEqual(half(8), 4)
})
`
const PYTHON_TESTS = `from double import double, half


def test_doubles_two():
    assert double(2) == 4


def test_doubles_five():
    assert double(5) == 10


def test_halves_eight():
    assert half(8) == 4
`
const PYTHON_BASE = {
  'double.py': 'def double(n):\n    return n + 1\n\n\ndef half(n):\n    return n / 2\n',
}

const NODE_PATH = 'test/double.test.js'
const NODE_SUITE = {
  framework: 'node-test',
  path: NODE_PATH,
  source: TESTS,
  tests: ['doubles two', 'doubles five', 'halves eight'].map((name) => `${NODE_PATH} > ${name}`),
  right: RIGHT,
}
const NODE_SET = suiteSetFiles(NODE_SUITE)
const PYTHON_RIGHT =
  'diff --git a/double.py b/double.py\n--- a/double.py\n+++ b/double.py\n@@ -1,6 +1,6 @@\n def double(n):\n-    return n + 1\n+    return n * 2\n \n \n def half(n):\n     return n / 2\n'
const PYTHON_PATH = 'tests/test_double.py'
const PYTHON_SUITE = {
  framework: 'pytest',
  path: PYTHON_PATH,
  source: PYTHON_TESTS,
  tests: ['test_doubles_two', 'test_doubles_five', 'test_halves_eight'].map(
    (name) => `${PYTHON_PATH}::${name}`,
  ),
  right: PYTHON_RIGHT,
}
const PYTHON_SET = suiteSetFiles(PYTHON_SUITE)
const FILE = `suites/unit/${NODE_PATH}`
/** Checks beside others of the same ids. */
const renamed = (checks: readonly { readonly id: string }[]) =>
  checks.map((check) => ({ ...check, id: `suite-${check.id}` }))
const IN_PROCESS = { strength: 'in_process' }

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'python'])
})
afterAll(() => station.close())

async function grade(task: string, tree: Readonly<Record<string, string>>) {
  const folder = join(task, 'changed')
  await writeFiles(folder, tree)
  const seen = await station.json(['grade', task, '--tree', folder])
  return { code: seen.code, result: documentOf(seen) as GradedChange }
}

const taskOf = (name: string, policy: object, checks: Readonly<Record<string, string>> = NODE_SET) =>
  writeTask(join(station.work, name), { id: name, checks, policy })
const RIGHT_TREE = { ...BASE, 'index.js': BASE['index.js'].replace('n + 1', 'n * 2') }

describe('a suite as the checks of a task', () => {
  it('is run from a request to a decision, and replayed to the same grades', async () => {
    const task = await writeTask(join(station.work, 'run'), {
      checks: NODE_SET,
      policy: { ...IN_PROCESS, race: 'all', repeats: 2 },
      workers: [patch('wrong.diff'), patch('right.diff')],
    })
    const seen = await station.json(['run', task])
    expect({ code: seen.code, ...(documentOf(seen) as object) }).toMatchObject({
      code: 0,
      verdict: 'verified',
    })
    const [run = ''] = await station.runs()
    const fixture = join(station.work, 'fixture')
    expect((await station.json(['fixture', 'pack', run, '--to', fixture])).code).toBe(0)
    for (const level of ['decisions', 'grades']) {
      const replayed = await station.json(['replay', fixture, '--level', level])
      expect({ level, code: replayed.code, stderr: replayed.stderr }).toMatchObject({ level, code: 0 })
    }
  })

  it('counts as evidence of the weaker strength, which holds by default', async () => {
    const task = await taskOf('strength', {})
    expect(await grade(task, RIGHT_TREE)).toMatchObject({
      code: 3,
      result: {
        verdict: 'unverifiable',
        heldFor: 'strength',
        grade: {
          verdict: 'verified',
          claims: [{ strength: 'in_process' }, { strength: 'in_process' }],
          failed: 0,
          of: 3,
        },
      },
    })
  })

  it('beside checks that carry each claim it takes nothing from their strength', async () => {
    const suite = JSON.parse(NODE_SET['checks.json']) as typeof CHECKS & { readonly suites: unknown }
    const checks = { ...CHECKS, suites: suite.suites, checks: [...CHECKS.checks, ...renamed(suite.checks)] }
    const task = await taskOf('mixed', {}, { ...setFiles(checks), [FILE]: TESTS })
    expect(await grade(task, RIGHT_TREE)).toMatchObject({
      code: 0,
      result: {
        verdict: 'verified',
        grade: { claims: [{ strength: 'isolated' }, { strength: 'isolated' }], of: 6 },
      },
    })
    const breaking = {
      ...RIGHT_TREE,
      'index.js': RIGHT_TREE['index.js'].replace('n / 2', 'n === 8 ? 5 : n / 2'),
    }
    expect(await grade(task, breaking)).toMatchObject({ code: 1, result: { grade: { failed: 2, of: 6 } } })
  })

  it('is held when what configures a runner changed, unless the policy allows it', async () => {
    const changed = { ...RIGHT_TREE, '.npmrc': 'node-options=--import=./x.mjs\n', 'test/new.test.js': '' }
    const held = await grade(await taskOf('configuration', IN_PROCESS), changed)
    expect(held).toMatchObject({
      code: 3,
      result: {
        heldFor: 'runner-configuration',
        grade: {
          verdict: 'verified',
          restored: [
            { path: '.npmrc', why: 'configuration' },
            { path: 'test/new.test.js', why: 'tests' },
          ],
        },
      },
    })
    expect(held.result.missing).toContain('.npmrc')
    const allowing = await taskOf('allowed', { ...IN_PROCESS, runnerConfigChanges: 'allow' })
    expect(await grade(allowing, changed)).toMatchObject({ code: 0, result: { verdict: 'verified' } })
  })

  it('is held as tampered when a test that must fail passed', async () => {
    const task = await taskOf('tampered', IN_PROCESS)
    const flip =
      "const { Readable } = require('node:stream')\nconst push = Readable.prototype.push\n" +
      'Readable.prototype.push = function (chunk) {\n' +
      "  return push.call(this, chunk?.type === 'test:fail' ? { ...chunk, type: 'test:pass' } : chunk)\n}\n"
    const { code, result } = await grade(task, { ...BASE, 'index.js': flip + BASE['index.js'] })
    expect({ code, result }).toMatchObject({ code: 3, result: { heldFor: 'tampered' } })
    // A copy of each test.
    expect(result.grade?.findings.map(({ kind }) => kind)).toEqual(Array(3).fill('canary-passed'))
  })

  it('goes back to its author when a test is not what it says', async () => {
    const task = await taskOf('wrong-set', IN_PROCESS, {
      ...NODE_SET,
      [FILE]: `${TESTS}\ntest('unlisted', () => {})\n`,
    })
    const { code, result } = await grade(task, RIGHT_TREE)
    expect(code).toBe(3)
    expect(result.notSealed?.join('\n')).toContain('a test that no row lists: test/double.test.js > unlisted')
  })

  it('says when the image has nothing to run it with', async () => {
    const set = suiteSetFiles({ ...NODE_SUITE, framework: 'jest' })
    const seen = await station.json(['grade', await taskOf('no-runner', IN_PROCESS, set), '--base'])
    expect({ code: seen.code, ...(documentOf(seen) as object) }).toMatchObject({
      code: 2,
      error: { code: 'config/suite-runner' },
    })
  })

  it('says when the image has not even the runtime', async () => {
    const task = await writeTask(join(station.work, 'no-python'), {
      checks: PYTHON_SET,
      baseFiles: PYTHON_BASE,
      request: REQUEST,
      image: 'node',
      policy: IN_PROCESS,
    })
    const seen = await station.json(['grade', task, '--base'])
    expect({ code: seen.code, ...(documentOf(seen) as object) }).toMatchObject({
      code: 2,
      error: { code: 'config/image-runtime', message: expect.stringContaining('the image has no python3') },
    })
  })

  it('works the same with pytest', async () => {
    const task = await writeTask(join(station.work, 'python'), {
      checks: PYTHON_SET,
      baseFiles: PYTHON_BASE,
      request: REQUEST,
      image: 'python',
      policy: IN_PROCESS,
      files: { 'right.diff': PYTHON_RIGHT, 'wrong.diff': PYTHON_RIGHT.replace('n * 2', '4') },
    })
    const right = await station.json(['grade', task, '--diff', join(task, 'right.diff')])
    expect({ code: right.code, ...(documentOf(right) as object) }).toMatchObject({
      code: 0,
      verdict: 'verified',
    })
    const wrong = await station.json(['grade', task, '--diff', join(task, 'wrong.diff')])
    expect(documentOf(wrong)).toMatchObject({ verdict: 'refuted', grade: { failed: 1, of: 3, findings: [] } })
    expect(await readFile(join(task, 'base/double.py'), 'utf8')).toBe(PYTHON_BASE['double.py'])
  })

  it('has other canaries where one would pass, and none where they disturb a test; a flag says so', async () => {
    const anything = PYTHON_TESTS.replace('half(8) == 4', 'ANY == half(8)')
    const counted = PYTHON_TESTS.replace('half(8) == 4', 'len(CALLS) == 2').replaceAll(
      '    assert double',
      '    CALLS.append(1)\n    assert double',
    )
    const sources = [`from unittest.mock import ANY\n\n${anything}`, `CALLS = []\n\n${counted}`]
    const [other, none] = await Promise.all(
      sources.map(async (source, index) => {
        const task = await writeTask(join(station.work, `canaries-${index}`), {
          checks: suiteSetFiles({ ...PYTHON_SUITE, source }),
          baseFiles: PYTHON_BASE,
          request: REQUEST,
          image: 'python',
          policy: IN_PROCESS,
          files: { 'right.diff': PYTHON_RIGHT },
        })
        const sealed = documentOf(await station.json(['seal', task])) as Seal
        const right = await station.json(['grade', task, '--diff', join(task, 'right.diff')])
        expect(documentOf(right)).toMatchObject({ verdict: 'verified', grade: { findings: [] } })
        return { spoiled: sealed.manifest.spoiledCanaries, flags: sealed.admission.flags.join('\n') }
      }),
    )
    const file = `suites/unit/${PYTHON_PATH}`
    expect(other).toEqual({ spoiled: { [file]: [2] }, flags: expect.not.stringContaining(file) })
    // Where the draw puts the copies behind the test that counts, they disturb nothing.
    const flag = expect.stringContaining(`${file}: its canary`)
    expect([
      { spoiled: { [file]: 'all' }, flags: flag },
      { spoiled: undefined, flags: expect.not.stringContaining(file) },
    ]).toContainEqual(none)
  })
})
