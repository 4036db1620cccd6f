import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { BatchReport } from '../engine/pure/batch-summary.ts'
import { paint } from '../engine/view/paint.ts'
import { batchText } from '../engine/view/batch-view.ts'
import { stateRoot } from '../engine/state-directory.ts'
import { loadTask } from '../engine/task/load-task.ts'
import { resolveBase } from '../engine/trees/base/resolve-base.ts'
import { git } from '../engine/trees/git.ts'
import { openWorkshop, type Workshop } from '../engine/workshop.ts'

/**
 * `scripts/overnight [--tasks N]`: what people leave running over night, in small. Ten tasks of the corpus, each a folder of
 * one scratch repository, three recorded attempts each (written by authors who did not see the checks; one is right). The
 * first process is killed with SIGKILL in the middle, the second goes on. Nothing of what it prints is written by hand.
 */
const ROOT = join(import.meta.dirname, '..')
const TASKS = [
  'camelcase-digits',
  'ignore-bom',
  'he-decimal',
  'lockfile-unlock-no-callback',
  'bignumber-alphabet-base10',
  'pqueue-paused-waiters',
  'mustache-partial-indent',
  'secure-json-constructor-null',
  'stream-shift-chunks',
  'cssesc-colon-underscore',
]
/** Which recorded attempts, in order: the right one is not the first. */
const ATTEMPTS = ['wrong-1', 'right', 'wrong-2']
const WHO = {
  GIT_AUTHOR_NAME: 'Overnight',
  GIT_AUTHOR_EMAIL: 'overnight@example.org',
  GIT_COMMITTER_NAME: 'Overnight',
  GIT_COMMITTER_EMAIL: 'overnight@example.org',
}

const at = process.argv.indexOf('--tasks')
const tasks = TASKS.slice(0, at < 0 ? TASKS.length : Number(process.argv[at + 1]))
const state = stateRoot(undefined, process.env)
const folder = await mkdtemp(join(tmpdir(), 'assay-overnight-'))
const repository = join(folder, 'scratch.git')
try {
  process.exitCode = await night()
} finally {
  if (!process.argv.includes('--keep')) await rm(folder, { recursive: true, force: true })
}

async function night(): Promise<number> {
  const workshop = await openWorkshop({ stateRoot: state })
  const start = await plantRepository(workshop)
  for (const task of tasks) await writeNightTask(task, start)
  const landing = ['--land', `${repository}#main`, '--race', 'best', '--concurrency', '2']
  const killAfter = `${Math.ceil(tasks.length / 2)}/${tasks.length}`

  console.error(
    `# assay run tasks/ --land scratch.git#main --race best   (killed with SIGKILL at ${killAfter})`,
  )
  const first = assay(['run', join(folder, 'tasks'), ...landing])
  await first.until(killAfter)
  first.child.kill('SIGKILL')
  await first.ended
  const landedBefore = (await commits()).length
  const batch = /(batch-\S+):/.exec(first.stderr())?.[1] ?? ''
  console.error(`\n# kill -9, ${landedBefore} landed by then\n# assay run --resume ${batch}`)
  const second = assay(['--json', 'run', '--resume', batch])
  const { code, stdout } = await second.ended
  const report = JSON.parse(stdout) as BatchReport
  const landed = await commits()
  console.log(batchText(report, paint(false)))
  console.log(`\nscratch.git, main, ${landed.length} commits since it began:`)
  console.log(landed.join('\n'))
  const subjects = new Set(landed.map((line) => line.slice(line.indexOf(' '))))
  const isWhole = report.counts.landed === tasks.length && landed.length === tasks.length
  const isOnce = subjects.size === landed.length
  console.log(
    `\n${isWhole && isOnce && code === 0 ? 'every task landed, once' : `NOT as it ought to be: exit ${code ?? 'by signal'}`}`,
  )
  return isWhole && isOnce && code === 0 ? 0 : 1
}

/** One commit with a folder for each task, which is the task's base. */
async function plantRepository(workshop: Workshop): Promise<string> {
  await git(['init', '--quiet', '--bare', '--initial-branch=main', repository], { cwd: folder })
  const options = { gitDirectory: repository, env: { ...WHO, GIT_INDEX_FILE: join(folder, 'index') } }
  await writeFile(
    join(repository, 'objects/info/alternates'),
    `${join(workshop.store.directory, 'objects')}\n`,
  )
  const entries: string[] = []
  for (const name of tasks) {
    const { task, directory } = await loadTask(join(ROOT, 'corpus/tasks', name))
    const { tree } = await resolveBase(
      task.base,
      { taskDirectory: directory, store: workshop.store, cacheDirectory: workshop.state.cache },
      new AbortController().signal,
    )
    entries.push(`040000 tree ${tree}\t${name}\0`)
  }
  const tree = (await git(['mktree', '-z'], { ...options, stdin: entries.join('') })).toString().trim()
  const commit = await git(['commit-tree', tree, '-m', 'Ten packages as they were published'], options)
  const id = commit.toString().trim()
  await git(['update-ref', 'refs/heads/main', id], options)
  // Its own objects from here on: what the store keeps is no business of a repository.
  await git(['repack', '-a', '-d', '-q'], options)
  await rm(join(repository, 'objects/info/alternates'))
  return id
}

/** The corpus task with the scratch repository as its base and three of its recorded attempts as workers. */
async function writeNightTask(name: string, revision: string): Promise<void> {
  const from = join(ROOT, 'corpus/tasks', name)
  const to = join(folder, 'tasks', name)
  await mkdir(to, { recursive: true })
  for (const part of ['request.md', 'checks', 'attempts'])
    await cp(join(from, part), join(to, part), { recursive: true })
  const task = parse(await readFile(join(from, 'task.yaml'), 'utf8')) as Record<string, unknown>
  const night = {
    ...task,
    base: { from: 'git', repository, revision, subdirectory: name },
    workers: ATTEMPTS.map((id) => ({ kind: 'patch', file: `attempts/${id}.diff`, label: `recorded: ${id}` })),
  }
  await writeFile(join(to, 'task.yaml'), stringify(night))
}

async function commits(): Promise<readonly string[]> {
  const log = await git(['log', '--format=%h %s', '--min-parents=1', 'main'], { gitDirectory: repository })
  return log
    .toString()
    .split('\n')
    .filter((line) => line !== '')
}

/** The command itself, as a user would start it; its progress is shown as it comes. */
function assay(argv: readonly string[]) {
  const child = spawn(process.execPath, [join(ROOT, 'engine/cli/main.ts'), '--state', state, ...argv], {
    env: { ...process.env, ...WHO },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
    process.stderr.write(text)
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout: out }))
  const until = async (text: string) => {
    while (!err.includes(text)) {
      const isOver = await Promise.race([
        once(child.stderr, 'data').then(() => false),
        ended.then(() => true),
      ])
      if (isOver && !err.includes(text)) throw new Error(`it ended before ${text}:\n${err}`)
    }
  }
  return { child, ended, until, stderr: () => err }
}
