import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GradedChange } from '../engine/grade/grade-change.ts'
import type { Seal } from '../specs/seal.ts'
import { documentOf } from './support/assay.ts'
import { CLAIMS, patchOf, RIGHT, writeFiles, writeTask } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'
import { partOf } from './support/tests-all.ts'

const PATH = 'test/double.test.js'
const TESTS = `const { test } = require('node:test')
const assert = require('node:assert')
const { double, half } = require('..')

test('doubles two', () => {
  assert.strictEqual(double(2), 4)
})

test('halves eight', () => {
  assert.strictEqual(half(8), 4)
})
`
/** Written on a machine in UTC, as many are. */
const NOON = `
test('is at midnight', () => {
  assert.strictEqual(new Date(0).getHours(), 0)
})
`
/** Only a right product comes so far as to depend on it. */
const DOUBLE_NOON = `
test('doubles the hour', () => {
  assert.strictEqual(double(new Date(2 * 3600000).getHours()), 4)
})
`
const NAMES = ['doubles two', 'halves eight', 'is at midnight', 'doubles the hour']
const [two, eight, noon, doubleNoon] = NAMES.map((name, index) => ({
  id: `t${index}`,
  test: `${PATH} > ${name}`,
}))

/** A set of these rows over these tests, with or without a right trial. */
function suiteSet(of: {
  readonly source: string
  readonly behaviours: readonly unknown[]
  readonly guards: readonly unknown[]
  readonly trials?: boolean
}): Readonly<Record<string, string>> {
  const trials = of.trials === true ? [{ id: 'right', diff: 'trials/right.diff', expect: 'verified' }] : []
  return {
    'checks.json': JSON.stringify({
      version: 1,
      claims: CLAIMS,
      suites: [{ id: 'unit', framework: 'node-test', files: 'suites/unit' }],
      checks: [
        { id: 'double', claim: 'doubles', role: 'behaviour', suite: 'unit', cases: of.behaviours },
        { id: 'half', claim: 'half', role: 'guard', suite: 'unit', cases: of.guards },
      ],
      trials,
    }),
    [`suites/unit/${PATH}`]: of.source,
    ...(of.trials === true ? { 'trials/right.diff': RIGHT } : {}),
  }
}

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge'])
})
afterAll(() => station.close())

const taskOf = (name: string, checks: Readonly<Record<string, string>>) =>
  writeTask(join(station.work, name), { id: name, checks, policy: { strength: 'in_process', repeats: 2 } })

async function grade(task: string, line: string) {
  await writeFiles(task, { 'change.diff': patchOf(line) })
  const seen = await station.json(['grade', task, '--diff', join(task, 'change.diff')])
  return { code: seen.code, result: documentOf(seen) as GradedChange }
}
const pinsOf = async (task: string) => {
  const { admission } = documentOf(await station.json(['seal', task])) as Seal
  const pinned = admission.rows.flatMap(({ row, pinned: pins }) => (pins === undefined ? [] : [[row, pins]]))
  return { pinned: Object.fromEntries(pinned) as Record<string, unknown>, flags: admission.flags.join('\n') }
}

const RIGHT_LINE = 'exports.double = (n) => n * 2'
const only = (condition: string) => `exports.double = (n) => ((${condition}) ? n * 2 : n + 1)`
const PLAIN_SET = suiteSet({ source: TESTS, behaviours: [two], guards: [eight] })

describe('a suite tells a change that is right only', () => {
  let task: string
  beforeAll(async () => {
    task = await taskOf('only', PLAIN_SET)
  })

  it.each(
    partOf<[string, string, RegExp]>(
      [
        ['in one time zone', 'new Date(0).getTimezoneOffset() === 0', /TZ=UTC.*fails with .*TZ=/],
        ['in one language', "process.env.LANG === 'C.UTF-8'", /LANG=C\.UTF-8.*fails with .*LANG=/],
        ['without NODE_ENV', 'process.env.NODE_ENV === undefined', /NODE_ENV unset.*fails with .*NODE_ENV=/],
        ['without CI', 'process.env.CI === undefined', /CI unset.*fails with .*CI=/],
        ['without a terminal', 'process.env.TERM === undefined', /TERM unset.*fails with .*TERM=/],
        ['in short paths', "!require('os').homedir().includes(' ')", /HOME and TMPDIR short.*deep/],
        ['under one umask', 'process.umask() === 0o022', /umask 022.*umask 0(02|77)/],
        [
          'until some day',
          'Date.now() < Date.UTC(2099, 0, 1)',
          /the clock right.*the clock 27[49]00 days ahead/,
        ],
        ['under one Node.js', "process.version.startsWith('v24.')", /the image's own runtime.*Node\.js 22/],
      ],
      2,
      1,
    ),
  )('%s from one that is right', async (_, condition, shown) => {
    const { code, result } = await grade(task, only(condition))
    expect({ code, verdict: result.verdict }).toEqual({ code: 3, verdict: 'unverifiable' })
    const claim = result.grade?.claims.find((one) => one.claim === 'doubles')
    expect(claim?.missing).toMatch(/^the same in all surroundings: double#t0 passes with /)
    expect(claim?.missing).toMatch(shown)
  })

  it('and verifies that one, again with the same grade', async () => {
    const first = await grade(task, RIGHT_LINE)
    expect(first).toMatchObject({ code: 0, result: { verdict: 'verified' } })
    const again = await station.json(['grade', task, '--fresh', '--diff', join(task, 'change.diff')])
    expect((documentOf(again) as GradedChange).grade).toEqual(first.result.grade)
    const varied = first.result.grade?.rows.map(({ runs }) => Object.keys(runs[1]?.surroundings ?? {}))
    expect(varied?.[0]?.length).toBeGreaterThan(6)
    expect(new Set(varied?.map((dimensions) => dimensions.join())).size).toBe(1)
  })
})

describe('a suite with tests that depend on their surroundings', () => {
  it('is pinned by what base shows: an honest fix is verified, other surroundings still tell', async () => {
    const set = suiteSet({ source: TESTS + NOON, behaviours: [two], guards: [eight, noon] })
    const task = await taskOf('noon', set)
    const { pinned, flags } = await pinsOf(task)
    expect(pinned).toEqual({ 'half#t2': ['timeZone'] })
    expect(flags).toContain('half#t2: varies by nature, so tried in one case only, all of its suite with it')
    expect(await grade(task, RIGHT_LINE)).toMatchObject({ code: 0, result: { verdict: 'verified' } })
    const elsewhere = await grade(task, only('process.env.CI === undefined'))
    expect(elsewhere.result.verdict).toBe('unverifiable')
  })

  it('is pinned by what a right trial shows, where base fails in any case', async () => {
    const of = { source: TESTS + DOUBLE_NOON, behaviours: [two, doubleNoon], guards: [eight] }
    const task = await taskOf('tried', suiteSet({ ...of, trials: true }))
    expect((await pinsOf(task)).pinned).toEqual({ 'double#t3': ['timeZone'] })
    expect(await grade(task, RIGHT_LINE)).toMatchObject({ code: 0, result: { verdict: 'verified' } })
  })

  it('is not, where nothing shows it: a right change is unverifiable then, and never refuted', async () => {
    const of = { source: TESTS + DOUBLE_NOON, behaviours: [two, doubleNoon], guards: [eight] }
    const { code, result } = await grade(await taskOf('untried', suiteSet(of)), RIGHT_LINE)
    expect({ code, verdict: result.verdict }).toEqual({ code: 3, verdict: 'unverifiable' })
    const claim = result.grade?.claims.find((one) => one.claim === 'doubles')
    expect(claim?.missing).toContain('double#t3 passes with TZ=UTC')
  })
})
