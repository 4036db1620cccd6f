import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GradedChange } from '../engine/grade/grade-change.ts'
import type { Seal } from '../specs/seal.ts'
import { DIMENSIONS } from '../specs/surroundings.ts'
import { documentOf } from './support/assay.ts'
import { BASE, CLAIMS, HALF, patchOf, setFiles, writeFiles, writeTask } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'
import { partOf } from './support/tests-all.ts'

/** Six rows of one behaviour, so that every dimension is met by some of them in every second run: one in eight leaves it. */
const CASES = Array.from({ length: 6 }, (_, n) => ({
  id: `n${n}`,
  input: n + 2,
  expect: { returns: 2 * n + 4 },
}))
const CHECKS = {
  version: 1,
  claims: CLAIMS,
  checks: [
    { id: 'double', claim: 'doubles', role: 'behaviour', scenario: 'scenarios/double.mjs', cases: CASES },
    HALF,
  ],
  trials: [],
}

let station: Station
let task: string
beforeAll(async () => {
  station = await openStation(['node', 'judge'])
  task = await writeTask(join(station.work, 'task'), { checks: setFiles(CHECKS), policy: { repeats: 2 } })
})
afterAll(() => station.close())

async function gradeLine(name: string, line: string, of = task) {
  await writeFiles(station.work, { [`${name}.diff`]: patchOf(line) })
  const seen = await station.json(['grade', of, '--diff', join(station.work, `${name}.diff`)])
  return { code: seen.code, result: documentOf(seen) as GradedChange }
}

/** Right only where `condition` holds, as a worker would write it that has looked at one grading. */
const only = (condition: string) => `exports.double = (n) => ((${condition}) ? n * 2 : n + 1)`

describe('a change that is right only', () => {
  it.concurrent.each(
    partOf<[string, string, RegExp]>([
      ['in one time zone', 'new Date(0).getTimezoneOffset() === 0', /TZ=UTC.*fails with .*TZ=/],
      ['in one language', "process.env.LANG === 'C.UTF-8'", /LANG=C\.UTF-8|LANG where plain/],
      [
        'without NODE_ENV',
        'process.env.NODE_ENV === undefined',
        /NODE_ENV unset.*NODE_ENV=(production|development)/,
      ],
      ['without CI', 'process.env.CI === undefined', /CI unset.*CI=(true|1)/],
      ['without a terminal', 'process.env.TERM === undefined', /TERM unset.*TERM=/],
      ['in short paths', "!require('os').homedir().includes(' ')", /HOME and TMPDIR short.*deep/],
      [
        'in an empty working directory',
        "require('fs').readdirSync('.').length === 0",
        /working directory empty.*in use/,
      ],
      ['under one umask', 'process.umask() === 0o022', /umask 022.*umask 0(02|77)/],
      ['when it is required', 'module.parent', /loaded by require.*loaded by import/],
      [
        'until some day',
        'Date.now() < Date.UTC(2099, 0, 1)',
        /the clock right.*the clock 27[49]00 days ahead/,
      ],
      [
        'under one version of Node.js',
        "process.version.startsWith('v24.')",
        /the image's own runtime.*Node\.js 22/,
      ],
      [
        'for the first call',
        '(exports.calls = (exports.calls ?? 0) + 1) === 1',
        /(the first call|in little use|one call).*(call [238] in one process|process in use|beside another)/,
      ],
      ['for users of boxes', 'process.getuid() >= 20000', /a user of the box.*uid (501|1000|1001|10001)/],
      ['off terminals', '!process.stdout.isTTY', /on no terminal.*on a terminal/],
      [
        'in its usual place',
        "__dirname === '/box/tree'",
        /the tree in its usual place.*a copy of the tree in (another folder|a folder with a space)/,
      ],
      [
        'where it cannot be written',
        "!(() => { try { return require('fs').accessSync(__dirname, 2) ?? true } catch { return false } })()",
        /the tree in its usual place.*a copy of the tree in/,
      ],
    ]),
  )('%s is not verified, and both are shown', async (name, condition, shown) => {
    const { code, result } = await gradeLine(name.replaceAll(' ', '-'), only(condition))
    expect(result.verdict, JSON.stringify(result.grade?.claims)).toBe('unverifiable')
    expect(code).toBe(3)
    const claim = result.grade?.claims.find((one) => one.claim === 'doubles')
    expect(claim?.missing).toMatch(
      /double#n\d+ passes with .* \(returned \d+\), fails with .*expected \d+, observed \d+/,
    )
    expect(claim?.missing).toMatch(shown)
    const runs = result.grade?.rows.flatMap((row) => (row.result === 'unstable' ? row.runs : [])) ?? []
    expect(runs.filter(({ pass }) => pass).every(({ surroundings }) => surroundings === undefined)).toBe(true)
    const text = await station.text([
      'grade',
      task,
      '--diff',
      join(station.work, `${name.replaceAll(' ', '-')}.diff`),
    ])
    expect(text.stdout).toMatch(shown)
  })

  it('for one user is refuted or unverifiable', async () => {
    const { result } = await gradeLine('one-user', only('process.getuid() === 20000'))
    expect(result.verdict).not.toBe('verified')
  })

  it('while files are there that base ignores is refuted, and a run says which were left out', async () => {
    const { result } = await gradeLine(
      'ignored',
      only("require('fs').existsSync(__dirname + '/dist/table.json')"),
    )
    expect(result.verdict).toBe('refuted')
  })
})

describe('a right change', () => {
  it('is verified in all of them, and again the same', async () => {
    const grade = () => gradeLine('right', 'exports.double = (n) => n * 2')
    const first = await grade()
    expect(first).toMatchObject({ code: 0, result: { verdict: 'verified' } })
    const met = first.result.grade?.rows.flatMap(({ runs }) =>
      runs.flatMap(({ surroundings = {} }) => Object.keys(surroundings)),
    )
    // All but how Python is started.
    expect(new Set(met)).toEqual(new Set(DIMENSIONS.filter((one) => one !== 'interpreter')))
    const again = documentOf(
      await station.json(['grade', task, '--fresh', '--diff', join(station.work, 'right.diff')]),
    ) as GradedChange
    expect(again.cached).toBe(false)
    expect(again.grade).toEqual(first.result.grade)
  })
})

describe('a product that depends on its surroundings as it should', () => {
  const CLI =
    "#!/usr/bin/env node\nconst d = new Date(0)\nconsole.log(d.getHours() + ' ' + (process.env.LANG ?? '').slice(0, 2))\n" +
    "console.log(new Date().getFullYear() + ' ' + process.version)\n"
  const command = (id: string, role: string, claim: string, expectation: object) => ({
    id,
    role,
    claim,
    command: { argv: ['node', '{tree}/cli.js', id] },
    expect: expectation,
  })
  const checks = {
    ...CHECKS,
    checks: [
      ...CHECKS.checks,
      ...['a', 'b', 'c', 'd'].map((id) => command(id, 'guard', 'half', { asBase: true })),
    ],
  }

  it('is verified: admission pins what base depends on for those rows, and says so', async () => {
    const of = await writeTask(join(station.work, 'clock'), {
      checks: setFiles(checks),
      baseFiles: { ...BASE, 'cli.js': CLI },
      policy: { repeats: 2 },
    })
    const seal = documentOf(await station.json(['seal', of])) as Seal
    const pinned = Object.fromEntries(seal.admission.rows.map(({ row, pinned: pins }) => [row, pins]))
    expect(seal.admission.rows.every(({ state }) => state === 'valid')).toBe(true)
    const found = new Set(['a', 'b', 'c', 'd'].flatMap((row) => pinned[row] ?? []))
    // Half of its values leave LANG away, so a draw may have none of these.
    found.delete('variables')
    expect(found).toEqual(new Set(['timeZone', 'language', 'clock', 'runtime']))
    expect(CASES.flatMap(({ id }) => pinned[`double#${id}`] ?? [])).toEqual([])
    expect(seal.admission.flags.join()).toContain('varies by nature, so tried in one case only: TZ=UTC')
    expect(await gradeLine('clock', 'exports.double = (n) => n * 2', of)).toMatchObject({
      code: 0,
      result: { verdict: 'verified' },
    })
    expect((await gradeLine('clock-wrong', only('process.env.CI === undefined'), of)).result.verdict).toBe(
      'unverifiable',
    )
  })
})
