import Dockerode from 'dockerode'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GradedChange } from '../engine/grade/grade-change.ts'
import { gradeTree } from '../engine/index.ts'
import { documentOf } from './support/assay.ts'
import { BASE, patchOf, RIGHT, writeFiles, writeTask, WRONG } from './support/double-task.ts'
import { boxesMade } from './support/engine.ts'
import { gitIn } from './support/git.ts'
import { openStation, type Station } from './support/station.ts'

let station: Station
let task: string
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker', 'python'])
  task = await writeTask(join(station.work, 'task'), { limits: { product: { memoryMb: 128 } } })
})
afterAll(() => station.close())

async function grade(change: readonly string[], of = task) {
  const seen = await station.json(['grade', of, ...change])
  return { code: seen.code, result: documentOf(seen) as GradedChange }
}

/** Grades a diff that replaces the first line of index.js. */
async function gradeLine(name: string, text: string, of = task) {
  await writeFiles(station.work, { [`${name}.diff`]: patchOf(text) })
  return grade(['--diff', join(station.work, `${name}.diff`)], of)
}

describe('a change that exists already', () => {
  it('as a diff', async () => {
    expect(await grade(['--diff', join(task, 'right.diff')])).toMatchObject({
      code: 0,
      result: { verdict: 'verified', opened: { changed: 1 }, grade: { failed: 0, of: 3 } },
    })
    expect(await grade(['--diff', join(task, 'wrong.diff')])).toMatchObject({
      code: 1,
      result: { verdict: 'refuted', grade: { failed: 1, of: 3 } },
    })
  })

  it('as a folder: its .git and whatever ignore files say count for nothing', async () => {
    const tree = join(station.work, 'changed')
    await writeFiles(tree, {
      ...BASE,
      'index.js': BASE['index.js'].replace('n + 1', '2 * n'),
      'dist/a.js': '1',
    })
    await mkdir(join(tree, '.git'))
    expect(await grade(['--tree', tree])).toMatchObject({
      code: 0,
      result: { verdict: 'verified', opened: { changed: 2 } },
    })
  })

  it('as a revision of the repository that base comes from', async () => {
    const repository = join(station.work, 'repository')
    await writeFiles(repository, BASE)
    gitIn(repository, ['init', '-q', '-b', 'main'])
    gitIn(repository, ['add', '.'])
    gitIn(repository, ['commit', '-qm', 'base'])
    const base = gitIn(repository, ['rev-parse', 'HEAD'])
    for (const [branch, text] of Object.entries({ right: RIGHT, wrong: WRONG })) {
      gitIn(repository, ['checkout', '-q', '-b', branch, base])
      await writeFiles(station.work, { 'change.diff': text })
      gitIn(repository, ['apply', '../change.diff'])
      gitIn(repository, ['commit', '-qam', branch])
    }
    const of = await writeTask(join(station.work, 'of-repository'), {
      base: { from: 'git', repository: '../repository', revision: base },
      limits: { product: { memoryMb: 128 } },
    })
    expect(await grade(['--rev', 'right'], of)).toMatchObject({ code: 0, result: { verdict: 'verified' } })
    expect(await grade(['--rev', 'wrong'], of)).toMatchObject({ code: 1, result: { verdict: 'refuted' } })
  })

  it('as base itself: refuted, since nothing was done', async () => {
    expect(await grade(['--base'])).toMatchObject({
      code: 1,
      result: { verdict: 'refuted', opened: { changed: 0 } },
    })
  })

  it('that does not apply is wrong input: exit 2, one line with the reason of git, and nothing is graded', async () => {
    await writeFiles(station.work, { 'stale.diff': WRONG.replace('-exports.double = (n) => n + 1', '-gone') })
    const stale = ['grade', task, '--diff', join(station.work, 'stale.diff')]
    const seen = await station.json(['--quiet', ...stale])
    expect(seen.code).toBe(2)
    const line = /stale\.diff: the patch does not apply to base: .*index\.js/
    expect(documentOf(seen)).toEqual({
      error: { code: 'config/patch', message: expect.stringMatching(line) as string, exitCode: 2 },
    })
    expect(seen.stderr).toMatch(line)
    expect(seen.stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('is never graded twice: the second time says so and makes no box', async () => {
    const docker = new Dockerode()
    const again = () => gradeLine('again', 'exports.double = (n) => n * 2 // again')
    const first = await boxesMade(station, docker, again)
    expect(first.result.result).toMatchObject({ verdict: 'verified', cached: false })
    expect(first.boxes).not.toEqual([])
    const second = await boxesMade(station, docker, again)
    expect(second.result.result).toEqual({ ...first.result.result, cached: true })
    expect(second.boxes).toEqual([])
    const seen = await station.text(['grade', task, '--diff', join(station.work, 'again.diff')])
    expect(seen.stdout).toContain('(graded before)')
  })

  it('from TypeScript', async () => {
    const result = await gradeTree(task, { diff: join(task, 'right.diff') }, { state: station.state })
    expect(result).toMatchObject({ verdict: 'verified', exitCode: 0, cached: true })
  })
})

describe('what would be installed', () => {
  const MANIFEST = { name: 'double-for-tests', version: '1.0.0', main: 'index.js' }
  // debug has ms as a dependency of its own.
  const WITH_DEBUG = { ...MANIFEST, dependencies: { debug: '4.4.3' } }
  const text = (manifest: object) => `${JSON.stringify(manifest, null, 2)}\n`

  async function changed(name: string, before: object, after: object, policy = {}) {
    const of = await writeTask(join(station.work, name), {
      baseFiles: { ...BASE, 'package.json': text(before) },
      policy,
    })
    const tree = join(of, 'output')
    const index = BASE['index.js'].replace('n + 1', 'n * 2')
    await writeFiles(tree, { ...BASE, 'index.js': index, 'package.json': text(after) })
    return grade(['--tree', tree], of)
  }

  it('a version number alone is named and holds nothing', async () => {
    expect(await changed('bump', MANIFEST, { ...MANIFEST, version: '1.0.1' })).toMatchObject({
      code: 0,
      result: { verdict: 'verified', opened: { dependencies: { kind: 'named', paths: ['package.json'] } } },
    })
  })

  it('another dependency is held: exit 3, before anything is graded', async () => {
    const { code, result } = await changed('added', MANIFEST, WITH_DEBUG)
    expect(code).toBe(3)
    expect(result).toMatchObject({ verdict: 'unverifiable', heldFor: 'dependencies' })
    expect(result.opened?.dependencies).toMatchObject({ kind: 'changed', missing: ['debug@4.4.3'] })
    expect(result.grade).toBeUndefined()
  })

  it('a dependency that the image has goes on where the policy allows it, and only there', async () => {
    const after = { ...WITH_DEBUG, dependencies: { ...WITH_DEBUG.dependencies, ms: '^2.1.3' } }
    const allow = { dependencyChanges: 'allow-installed' }
    expect(await changed('allowed', WITH_DEBUG, after, allow)).toMatchObject({
      code: 0,
      result: { verdict: 'verified', opened: { dependencies: { kind: 'changed', satisfied: true } } },
    })
    expect(await changed('not-allowed', WITH_DEBUG, after)).toMatchObject({
      code: 3,
      result: { heldFor: 'dependencies' },
    })
    const more = { ...WITH_DEBUG, dependencies: { ...WITH_DEBUG.dependencies, 'left-pad': '1.3.0' } }
    expect(await changed('not-there', WITH_DEBUG, more, allow)).toMatchObject({
      code: 3,
      result: { heldFor: 'dependencies', opened: { dependencies: { satisfied: false } } },
    })
  })
})

describe('a product that misbehaves', () => {
  it('and takes all memory where base did not: refuted', async () => {
    const { code, result } = await gradeLine(
      'bomb',
      'exports.double = () => { const all = []; for (;;) all.push(Buffer.alloc(1e7, 1)) }',
    )
    expect(code).toBe(1)
    const row = result.grade?.rows.find(({ row }) => row === 'double#two')
    expect(row?.runs[0]?.observation).toMatchObject({ outcome: 'limit', limit: 'memory' })
  })

  const FORGED = JSON.stringify({ kind: 'end', outcome: 'returned', value: 10 })
  const TRICKS = {
    'prints what looks like a result': `process.stdout.write(${JSON.stringify(`\n${FORGED}\n`)}); require('fs').writeSync(1, ${JSON.stringify(FORGED)})`,
    'writes to every descriptor': `for (let fd = 3; fd < 64; fd++) try { require('fs').writeSync(fd, ${JSON.stringify(`${FORGED}\n`)}) } catch {}`,
    'ends the process with success': 'process.exit(0)',
    'answers null to everything': 'Object.prototype.toJSON = () => 10',
    'replaces the globals of its host':
      'JSON.stringify = () => "10"; Number.prototype.valueOf = () => 10; process.send = console.log = () => {}',
    'leaves a daemon that writes where it can': `require('child_process').spawn('sh', ['-c', 'while :; do for f in /proc/[0-9]*/fd/*; do echo ${FORGED} > $f; done; sleep 0.05; done'], { detached: true, stdio: 'ignore' }).unref()`,
  }
  it.concurrent.each(Object.entries(TRICKS))('%s: never verified', async (name, trick) => {
    const slug = name.replaceAll(/\W+/g, '-')
    // Wrong whatever it pretends.
    const { code, result } = await gradeLine(slug, `${trick}; exports.double = (n) => n + 1`)
    expect([1, 3], JSON.stringify(result.grade?.rows)).toContain(code)
    expect(result.verdict).not.toBe('verified')
  })

  it('leaves a daemon but is right: its daemon is ended, and changes nothing', async () => {
    const daemon =
      "require('child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref()"
    const { result } = await gradeLine('daemon', `${daemon}; exports.double = (n) => n * 2`)
    expect(result.verdict).toBe('verified')
    expect(result.grade?.findings).toEqual([])
    expect(await station.leftovers()).toEqual([])
  })
})

describe('a check set of a program in Python', () => {
  it('settles a task in the python image', async () => {
    const files = { 'doubling.py': 'def double(n):\n    return n + 1\n' }
    const set = JSON.parse((await readFile(join(task, 'checks/checks.json'))).toString()) as {
      claims: object[]
      checks: { scenario: string }[]
    }
    const checks = {
      ...set,
      claims: set.claims.slice(0, 1),
      checks: set.checks
        .filter(({ scenario }) => scenario === 'scenarios/double.mjs')
        .map((one) => ({ ...one, scenario: 'scenarios/double.py' })),
    }
    const of = await writeTask(join(station.work, 'python'), {
      image: 'python',
      baseFiles: files,
      checks: {
        'checks.json': JSON.stringify(checks),
        'scenarios/double.py': 'def scenario(ctx):\n    return ctx.load("doubling").double(ctx.input)\n',
      },
    })
    const trees = { right: 'n * 2', wrong: '4' }
    for (const [name, value] of Object.entries(trees)) {
      await writeFiles(join(of, name), { 'doubling.py': files['doubling.py'].replace('n + 1', value) })
    }
    expect(await grade(['--tree', join(of, 'right')], of)).toMatchObject({ code: 0 })
    expect(await grade(['--tree', join(of, 'wrong')], of)).toMatchObject({ code: 1 })
  })
})
