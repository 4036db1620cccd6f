import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runnerDigest } from '../grader/runner-digest.ts'
import { documentOf } from './support/assay.ts'
import { patch, writeTask } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'

const ROOT = join(import.meta.dirname, '..')
/** The node that runs this test comes first, as it would for somebody who has installed it. */
const ENV = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  NO_COLOR: '1',
}

let station: Station
let project: string
beforeAll(async () => {
  station = await openStation(['node', 'judge'])
  project = await mkdtemp(join(tmpdir(), 'assay-package-'))
  const tarballs = join(project, 'tarballs')
  await mkdir(tarballs)
  program(ROOT, 'npm', ['pack', '--silent', '--pack-destination', tarballs])
  const [tarball] = await readdir(tarballs)
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }\n')
  program(project, 'npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    join(tarballs, tarball!),
  ])
})
afterAll(async () => {
  await rm(project, { recursive: true, force: true })
  await station.close()
})

function program(
  cwd: string,
  command: string,
  argv: readonly string[],
  env: Record<string, string> = {},
): string {
  return execFileSync(command, argv, { cwd, env: { ...ENV, ...env }, encoding: 'utf8', maxBuffer: 2 ** 26 })
}
const npx = (argv: readonly string[], env = {}) =>
  program(project, 'npx', ['--no-install', 'assay', ...argv], env)

it('shows its commands', () => {
  const help = npx(['--help'])
  for (const command of ['run', 'grade', 'seal', 'replay', 'doctor', 'init', 'images', 'report']) {
    expect(help).toMatch(new RegExp(`^ {2}${command} `, 'm'))
  }
  expect(npx(['--version']).trim()).toMatch(/^\d+\.\d+\.\d+$/)
})

it('runs a task in boxes, and replays the record without an engine', async () => {
  const task = await writeTask(join(station.work, 'task'), { workers: [patch('right.diff')] })
  const state = ['--state', station.state, '--json', '--quiet']
  const report = documentOf({ code: 0, stdout: npx([...state, 'run', task]), stderr: '' }) as { run: string }
  expect(report).toMatchObject({ verdict: 'verified' })
  const packed = join(station.work, 'packed')
  npx([...state, 'fixture', 'pack', report.run, '--to', packed])
  const fixture = join(project, 'fixture')
  await cp(packed, fixture, { recursive: true })
  const env = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }
  const stdout = npx(
    ['--state', join(project, 'state'), '--json', 'replay', fixture, '--level', 'decisions'],
    env,
  )
  expect(documentOf({ code: 0, stdout, stderr: '' })).toMatchObject({
    run: report.run,
    verdict: 'verified',
    judged: 4,
  })
})

it('brings the demo, which replays without an engine', () => {
  const fixture = join(project, 'node_modules/assay/dist/corpus/fixtures/demo')
  expect(npx(['replay', fixture, '--level', 'decisions'])).toMatch(/the same/)
})

it('grades as the checkout does that it was built from, by its digest', () => {
  const script = `
    import { runnerDigest } from './node_modules/assay/dist/grader/runner-digest.js'
    console.log(runnerDigest())`
  expect(program(project, 'node', ['--input-type=module', '-e', script]).trim()).toBe(runnerDigest())
})

it('is a module with runTask, gradeTree, replay and decide', () => {
  const script = `
    import { runTask, gradeTree, replay, decide, initialState, Fault } from 'assay'
    const fault = await runTask('nowhere', { state: ${JSON.stringify(join(project, 'state'))} }).catch((error) => error)
    console.log(JSON.stringify({
      types: [runTask, gradeTree, replay, decide].map((one) => typeof one),
      decision: decide(initialState), isFault: fault instanceof Fault, code: fault.code }))`
  expect(JSON.parse(program(project, 'node', ['--input-type=module', '-e', script]))).toEqual({
    types: ['function', 'function', 'function', 'function'],
    decision: { do: 'wait' },
    isFault: true,
    code: 'config/task',
  })
})

it('has types that a strict program of its user compiles with', async () => {
  const source = `import { gradeTree, replay, runTask, type AssayOptions, type Report } from 'assay'
    const options: AssayOptions = { state: 'here' }
    export async function verdicts(): Promise<readonly Report['verdict'][]> {
      const { report } = await runTask('task', { ...options, policy: { rounds: 1 }, onEvent: ({ type }) => type.length })
      const graded = await gradeTree('task', { diff: 'a.diff' }, options)
      const { divergence } = await replay('fixture', { level: 'decisions' })
      return divergence === undefined ? [report.verdict, graded.verdict] : []
    }
    // @ts-expect-error -- a change is one of the documented ones
    await gradeTree('task', { patch: 'a.diff' })\n`
  await writeFile(join(project, 'use.ts'), source)
  const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--module', 'nodenext']
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node', '--target', 'es2024']
  expect(program(project, process.execPath, [...tsc, ...types, '--skipLibCheck', 'use.ts'])).toBe('')
})

it('ships its types, its hosts and its schemas, and no tests or sources', async () => {
  const installed = join(project, 'node_modules/assay')
  const files = await readdir(installed, { recursive: true })
  expect(files).toEqual(
    expect.arrayContaining([
      'dist/engine/index.d.ts',
      'dist/grader/hosts/node/main.cjs',
      'dist/grader/hosts/python/main.py',
      'dist/grader/hosts/terminal.pl',
      'dist/grader/hosts/suite/pytest/run.py',
      'dist/grader/hosts/suite/pytest/pytest.ini',
      'dist/grader/hosts/suite/node-test/entry.mjs',
      'dist/grader/hosts/suite/go-test/report.go',
      'dist/specs/schema/task.schema.json',
      'dist/images/lock.json',
      'dist/corpus/fixtures/demo/fixture.json',
    ]),
  )
  expect(files.filter((file) => /\.test\.|(?<!\.d)\.ts$|^(corpus|test|scripts)/.test(file))).toEqual([])
})
