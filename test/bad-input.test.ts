import { appendFile, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assay, documentOf } from './support/assay.ts'
import { gitIn } from './support/git.ts'
import { CHECKS, patch, setFiles, writeFiles, writeTask, type TaskChanges } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

/** One line on stderr that matches, nothing on stdout, that exit code, and no run directory. */
async function refuses(argv: readonly string[], exitCode: number, line: RegExp, env = {}) {
  const before = await station.runs()
  const seen = await station.text(['--quiet', ...argv], { env, cwd: station.work })
  expect(seen.stderr).toMatch(line)
  expect(seen.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(seen).toMatchObject({ code: exitCode, stdout: '' })
  expect(await station.runs()).toEqual(before)
}

const NO_IMAGE = `assay-e2e@sha256:${'0'.repeat(64)}`

/** A task with one thing wrong: exit 2, and a line that names the file, the field and what was expected. */
const TASKS: readonly (readonly [
  what: string,
  line: RegExp,
  changes: TaskChanges,
  spoil?: (task: string) => Promise<void>,
])[] = [
  [
    'an unknown key',
    /task\.yaml: \(top\): unknown key "colour"/,
    {},
    (task) => appendFile(join(task, 'task.yaml'), 'colour: red\n'),
  ],
  [
    'an unknown key deep inside',
    /task\.yaml: limits\.product: unknown key "ram"/,
    { limits: { product: { ram: 1 } } },
  ],
  ['a wrong type', /task\.yaml: policy\.rounds: .*expected number/, { policy: { rounds: 'three' } }],
  ['a number out of its range', /task\.yaml: policy\.rounds: .*<=20/, { policy: { rounds: 21 } }],
  ['a key twice', /task\.yaml: .*unique/i, {}, (task) => appendFile(join(task, 'task.yaml'), 'version: 1\n')],
  ['no YAML', /task\.yaml: /, {}, (task) => writeFile(join(task, 'task.yaml'), 'a: [1\n')],
  ['no task.yaml', /task\.yaml: cannot be read/, {}, (task) => rm(join(task, 'task.yaml'))],
  [
    'no request',
    /request\.md: the request \(field "request" of task\.yaml\) cannot be read/,
    {},
    (task) => rm(join(task, 'request.md')),
  ],
  ['an empty request', /request\.md: the request is empty/, { request: ' \n\t\n' }],
  [
    'a path that leaves the task',
    /task\.yaml: oracle\.directory: .*below/,
    { oracle: { kind: 'files', directory: '../x' } },
  ],
  ['no base folder', /base\.path: .*nowhere/, { base: { from: 'directory', path: 'nowhere' } }],
  ['a base that is a file', /base\.path: .*request\.md/, { base: { from: 'directory', path: 'request.md' } }],
  [
    'no such repository',
    /base\.repository: .*nowhere/,
    { base: { from: 'git', repository: 'nowhere', revision: 'main' } },
  ],
  [
    'no such revision',
    /base\.revision: .*no-such-branch/,
    { base: { from: 'git', repository: 'repository', revision: 'no-such-branch' } },
    async (task) => {
      await mkdir(join(task, 'repository'))
      await writeFiles(join(task, 'repository'), { a: '1' })
      gitIn(join(task, 'repository'), ['init', '-q'])
      gitIn(join(task, 'repository'), ['commit', '-q', '--allow-empty', '-m', 'made for tests'])
    },
  ],
  ['a tar that is not there', /base\.path: .*a\.tar/, { base: { from: 'tar', path: 'a.tar' } }],
  [
    'a tar with another integrity',
    /base\.integrity: .*sha512-/,
    { base: { from: 'tar', path: 'a.tar', integrity: `sha512-${'A'.repeat(86)}==` } },
    (task) => writeFile(join(task, 'a.tar'), Buffer.alloc(1024)),
  ],
  [
    'a version range',
    /task\.yaml: base\.version: expected an exact version/,
    { base: { from: 'npm', package: 'left-pad', version: '^1.0.0', integrity: 'sha512-AAAA' } },
  ],
  ['an unknown image', /task\.yaml: image: /, { image: 'ruby' }],
  [
    'an image by a name that can move',
    /task\.yaml: image.*digest/,
    { image: { reference: 'debian:bookworm' } },
  ],
  [
    'an image digest that the engine does not have',
    /image assay-e2e@sha256:0+: the engine does not have it/,
    { image: { reference: NO_IMAGE } },
  ],
  ['an image folder without a Dockerfile', /there is no Dockerfile/, { image: { dockerfile: 'base' } }],
  ['no patch file', /no\.diff: the patch cannot be read/, { workers: [patch('no.diff')] }],
  [
    'no program folder of a worker',
    /nowhere/,
    { workers: [{ kind: 'command', argv: ['true'], program: 'nowhere' }] },
  ],
  [
    'no check set',
    /nowhere: expected a directory with checks\.json/,
    { oracle: { kind: 'files', directory: 'nowhere' } },
  ],
  [
    'a check set that names a missing file',
    /checks\/checks\.json: checks\[1\]\.scenario: .*scenarios\/half\.mjs/,
    { checks: { 'checks.json': setFiles()['checks.json']! } },
    (task) => writeFiles(join(task, 'checks'), { 'scenarios/double.mjs': 'export default () => 1' }),
  ],
  [
    'a check set with an unknown key',
    /checks\/checks\.json: .*unknown|checks\/checks\.json: .*nrecognized/,
    { checks: setFiles({ ...CHECKS, colour: 'red' }) },
  ],
  [
    'a check set with an unknown operator',
    /checks\/checks\.json: checks\[0\]\.cases\[0\]\.expect\.returns/,
    {
      checks: setFiles({
        ...CHECKS,
        checks: CHECKS.checks.map((one) =>
          one.id === 'double'
            ? { ...one, cases: [{ id: 'x', input: 1, expect: { returns: { $lots: 1 } } }] }
            : one,
        ),
      }),
    },
  ],
  [
    'a claim that does not quote the request',
    /checks\/checks\.json: claims\[0\]\.spec_ref/,
    {
      checks: setFiles({
        ...CHECKS,
        claims: CHECKS.claims.map((claim, index) =>
          index === 0 ? { ...claim, spec_ref: 'no such words' } : claim,
        ),
      }),
    },
  ],
]

describe.concurrent.each(['run', 'seal'] as const)('assay %s of a task with', (command) => {
  // The two read a task the same way: a few rows show that.
  const rows = TASKS.map(([what, line, changes, spoil]) => ({ what, line, changes, spoil }))
  const few = rows.filter(({ what }) => /unknown key$|no request|revision|check set/.test(what))
  it.each(command === 'run' ? rows : few)('$what', async ({ what, line, changes, spoil }) => {
    const task = join(station.work, `${command}-${what.replaceAll(/\W+/g, '-')}`)
    await writeTask(task, { workers: [patch('right.diff')], ...changes })
    await spoil?.(task)
    await refuses([command, task], 2, line)
  })
})

describe.concurrent('assay says in one line that there is', () => {
  it('no task directory', async () => {
    await refuses(
      ['run', 'nowhere'],
      2,
      /nowhere: expected a task directory \(with task\.yaml and request\.md\)/,
    )
  })

  it('a policy file with an unknown key', async () => {
    const task = await writeTask(join(station.work, 'with-policy'), { workers: [patch('right.diff')] })
    await writeFile(join(task, 'policy.yaml'), 'round: 1\n')
    await refuses(
      ['run', task, '--policy', join(task, 'policy.yaml')],
      2,
      /policy\.yaml: .*unknown key "round"/,
    )
  })

  it.each([
    ['run', ['run', '.']],
    ['grade', ['grade', '.', '--base']],
    ['seal', ['seal', '.']],
    ['images build', ['images', 'build', 'node']],
  ])('no engine: %s', async (name, argv) => {
    const task = await writeTask(join(station.work, `engine-${name}`), { workers: [patch('right.diff')] })
    const line = /engine.*\/nowhere\/docker\.sock/
    const fixed = argv.map((part) => (part === '.' ? task : part))
    await refuses(['--docker-host', 'unix:///nowhere/docker.sock', ...fixed], 4, line)
    await refuses(fixed, 4, line, { DOCKER_HOST: 'unix:///nowhere/docker.sock' })
  })

  it('no folder, or no revision, that a change could be read from', async () => {
    const task = await writeTask(join(station.work, 'no-change'), {})
    await refuses(['grade', task, '--tree', 'nope'], 2, /^assay: --tree: \S+nope: expected a folder/)
    await refuses(['grade', task, '--rev', 'nope'], 2, /^assay: --rev: /)
  })

  it('an engine address of an unknown kind', async () => {
    await refuses(['--docker-host', 'ssh://host', 'images', 'list'], 2, /ssh:\/\/host.*unix:\/\/.*tcp:\/\//)
  })

  it.each([
    ['an unknown command', ['judge'], /unknown command 'judge'/],
    ['an unknown option', ['run', '--fast'], /unknown option '--fast'/],
    ['a missing argument', ['replay'], /missing required argument 'fixture'/],
    ['too many arguments', ['report', 'a', 'b'], /too many arguments/],
    ['no task', ['run'], /assay run: expected a task directory/],
    ['no change to grade', ['grade', '.'], /expected exactly one of --diff, --tree, --rev, --base/],
    ['two changes to grade', ['grade', '.', '--base', '--rev', 'x'], /expected exactly one of/],
    [
      'an unknown level',
      ['replay', 'x', '--level', 'agents'],
      /--level agents: expected decisions or grades/,
    ],
    ['an unknown image name', ['images', 'build', 'ruby'], /image "ruby": expected one of base, node/],
    ['no such run', ['report', 'no-run'], /no-run: no such run/],
    ['no such run to go on with', ['run', '--resume', 'no-run'], /no-run: no such run/],
    ['no such fixture', ['replay', 'nowhere'], /nowhere\/fixture\.json: no fixture there/],
  ])('%s', async (_, argv, line) => {
    await refuses(argv, 2, line)
  })

  it.each<[string, (task: string) => readonly string[], RegExp]>([
    ['no task to run', () => ['run', 'nowhere'], /nowhere: expected a task directory/],
    ['no task to seal', () => ['seal', 'nowhere'], /nowhere: expected a task directory/],
    [
      'no patch to grade',
      (task) => ['grade', task, '--diff', 'no.diff'],
      /no\.diff: the patch cannot be read/,
    ],
    [
      'a task for a run that has one',
      (task) => ['run', task, '--resume', 'r'],
      /expected neither a task nor/,
    ],
    [
      'a policy for a run that has one',
      () => ['run', '--resume', 'r', '--policy', 'p'],
      /expected neither a task nor what it is run with/,
    ],
    ['a line to drop of no run', (task) => ['run', task, '--drop-torn-line'], /with --resume only/],
    ['an unknown image name', () => ['images', 'build', 'ruby'], /image "ruby"/],
  ])('%s, before anything is written or asked of the engine', async (name, argv, line) => {
    const task = await writeTask(join(station.work, `unopened ${name}`))
    const state = join(station.work, `no state of ${name}`)
    const noEngine = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }
    const seen = await assay(['--quiet', '--state', state, ...argv(task)], { env: noEngine })
    expect(seen.stderr).toMatch(line)
    expect(seen).toMatchObject({ code: 2, stdout: '' })
    await expect(readdir(state)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('a state directory that cannot be used', async () => {
    const { code, stdout, stderr } = await assay(['--state', '/dev/null/state', 'images', 'list'])
    expect(stderr).toMatch(/\/dev\/null\/state: the state directory cannot be used/)
    expect({ code, stdout, lines: stderr.trimEnd().split('\n').length }).toEqual({
      code: 2,
      stdout: '',
      lines: 1,
    })
  })
})

describe('a journal that is not whole', () => {
  let journal: string
  let run: string
  let whole: Buffer
  beforeAll(async () => {
    const task = await writeTask(join(station.work, 'journal'), { workers: [patch('right.diff')] })
    ;({ run } = documentOf(await station.json(['run', task])) as { run: string })
    const directory = join(station.state, 'runs', run)
    journal = join(directory, 'journal.jsonl')
    whole = await readFile(journal)
  })
  afterAll(async () => {
    await writeFile(journal, whole)
  })

  const lineOf = (number: number) => whole.toString('utf8').split('\n').slice(0, number).join('\n').length
  const spoiled: readonly (readonly [string, RegExp, () => Promise<void>])[] = [
    [
      'cut off in its last line',
      /journal\.jsonl: line \d+: the last line was cut off; last good event: \d+ \(graded\); nothing was changed/,
      () => truncate(journal, whole.length - 20),
    ],
    [
      'changed in one character',
      /journal\.jsonl: line 3: its hash does not match its content; last good event: 1 \(decided\)/,
      async () => {
        const text = whole.toString('utf8')
        const at = text.indexOf('"attempt":1', lineOf(2))
        await writeFile(journal, `${text.slice(0, at)}"attempt":2${text.slice(at + 11)}`)
      },
    ],
    [
      'without one of its lines',
      /journal\.jsonl: line 3: event 3 where 2 was expected; last good event: 1/,
      async () => {
        const lines = whole.toString('utf8').split('\n')
        await writeFile(journal, lines.toSpliced(2, 1).join('\n'))
      },
    ],
    [
      'of another version',
      /journal\.jsonl: line 1: journal version 2, expected 1; no event before it is good/,
      () => writeFile(journal, whole.toString('utf8').replace('"v":1', '"v":2')),
    ],
    ['empty', /journal\.jsonl: it is empty/, () => writeFile(journal, '')],
  ]
  it.each(spoiled)('%s: the last good event is named, and not a byte is changed', async (_, line, spoil) => {
    await writeFile(journal, whole)
    await spoil()
    const before = await readFile(journal)
    const listed = await readdir(join(station.state, 'runs', run), { recursive: true })
    const commands = [
      ['report', run],
      ['run', '--resume', run],
      ['fixture', 'pack', run, '--to', join(station.work, 'packed')],
    ]
    for (const argv of commands) await refuses(argv, 2, line)
    expect(await readFile(journal)).toEqual(before)
    expect(await readdir(join(station.state, 'runs', run), { recursive: true })).toEqual(listed)
  })
})
