import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import PQueue from 'p-queue'
import { stringify } from 'yaml'
import { gradeTree } from '../grader/grade.ts'
import { runnerDigest } from '../grader/runner-digest.ts'
import { openExaminer } from '../engine/grade/open-examiner.ts'
import { readJournal } from '../engine/journal/journal.ts'
import { openLanding } from '../engine/landing/open-landing.ts'
import type { BatchReport } from '../engine/pure/batch-summary.ts'
import { nextLine, readChain } from '../engine/pure/journal-chain.ts'
import { readRunDirectory } from '../engine/run/read-run.ts'
import { fold } from '../engine/state.ts'
import { stateRoot } from '../engine/state-directory.ts'
import { loadTask } from '../engine/task/load-task.ts'
import { prepareTask } from '../engine/task/prepare-task.ts'
import { git } from '../engine/trees/git.ts'
import { openWorkshop, runDirectory } from '../engine/workshop.ts'
import { digestOf } from '../specs/digest.ts'
import { Fault } from '../specs/fault.ts'
import type { EventBody, JournalLine } from '../specs/journal.ts'

/**
 * `npm run bench:race [-- --tasks N]`: how much of the machine many races get to their scenario processes, how soon losers
 * are gone, what a long journal costs, and fifty landings on a branch that moves under each of them. Tasks and workers are
 * made by this script and cost nothing.
 */
const at = process.argv.indexOf('--tasks')
const TASKS = at < 0 ? 200 : Number(process.argv[at + 1])
const ATTEMPTS = 4
/** As many as the smallest set of the corpus: what a run costs besides its scenarios is shared by them. */
const ROWS = 53
const RACES = 20
const LANDINGS = 50
const EVENTS = 100_000
const signal = new AbortController().signal
const state = stateRoot(undefined, process.env)
const workshop = await openWorkshop({ stateRoot: state })
const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'))
try {
  const metrics: Record<string, number> = {
    ...(await throughput()),
    ...(await losersGone()),
    ...(await longJournal()),
    ...(await landings()),
  }
  const limits: Record<string, (value: number) => boolean> = {
    share_of_scenarios_alone: (value) => value >= 0.9,
    loser_gone_p99_ms: (value) => value < 2000,
    peak_rss_mb: (value) => value < 300,
    fold_100k_events_ms: (value) => value < 1000,
    landings_lost: (value) => value === 0,
    landings_doubled: (value) => value === 0,
    landings_out_of_order: (value) => value === 0,
  }
  for (const [name, value] of Object.entries(metrics)) {
    const isMet = limits[name]?.(value)
    const said = isMet === undefined ? '' : isMet ? 'ok' : 'MISSED'
    console.log(`${name.padEnd(28)} ${value.toFixed(3).padStart(12)}  ${said}`)
  }
  const ok = Object.entries(limits).every(([name, isMet]) => isMet(metrics[name] ?? NaN))
  console.log(JSON.stringify({ bench: 'race', metrics, ok }))
  process.exitCode = ok ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exit()

/** Many races through the command, beside the same scenario processes without runs, journals, races and a command. */
async function throughput(): Promise<Record<string, number>> {
  const tasks = join(folder, 'tasks')
  for (let n = 0; n < TASKS; n++) await writeTask(join(tasks, `t${n}`), n)
  // Sealed and built before anything is measured.
  await command(['run', await writeTask(join(folder, 'warm'), -1)])
  const before = cpuTimes()
  const began = performance.now()
  const { stdout, peakRssMb } = await command(['run', tasks, '--race', 'all'])
  const batchMs = performance.now() - began
  const busy = busyShare(before, cpuTimes())
  const report = JSON.parse(stdout) as BatchReport
  if (report.counts.verified !== TASKS) throw new Error(`${report.counts.verified} of ${TASKS} are verified`)
  const aloneMs = await scenariosAlone(report)
  return {
    tasks: TASKS,
    attempts: TASKS * ATTEMPTS,
    batch_ms: batchMs,
    scenarios_alone_ms: aloneMs,
    share_of_scenarios_alone: aloneMs / batchMs,
    cores_busy: busy,
    peak_rss_mb: peakRssMb,
  }
}

/** Observes the same trees with the same rows, two at a time, and nothing else. */
async function scenariosAlone(report: BatchReport): Promise<number> {
  const first = report.tasks[0]
  if (first === undefined) throw new Error('no task')
  const recorded = await readRunDirectory(runDirectory(workshop.state, first.run))
  if (recorded.sealed === undefined) throw new Error('no seal')
  const { seal, checkSet } = recorded.sealed
  const prepared = await prepareTask(await loadTask(first.path), workshop, () => undefined, signal)
  const trees = new Set<string>()
  for (const { run } of report.tasks) {
    for (const { body } of readJournal(join(runDirectory(workshop.state, run), 'journal.jsonl')))
      if (body.type === 'opened' && body.tree !== undefined) trees.add(body.tree)
  }
  const examiners = [openExaminer('bench-a', prepared, workshop), openExaminer('bench-b', prepared, workshop)]
  const queue = new PQueue({ concurrency: examiners.length })
  const began = performance.now()
  try {
    await queue.addAll(
      [...trees].map((tree, index) => async () => {
        const examiner = examiners[index % examiners.length]
        if (examiner === undefined) throw new Error('no examiner')
        const limits = digestOf('bench')
        const grade = await gradeTree({
          examiner,
          seal,
          checkSet,
          tree,
          image: prepared.product.id,
          limits,
          repeats: 1,
          signal,
        })
        if (grade.verdict === 'unverifiable') throw new Error('unverifiable')
      }),
    )
    return performance.now() - began
  } finally {
    for (const examiner of examiners) await examiner.close()
  }
}

/** From a winner's verdict to the moment when the last loser's box is gone, in races against workers that sleep. */
async function losersGone(): Promise<Record<string, number>> {
  const times: number[] = []
  for (let n = 0; n < RACES; n++) {
    const sleeper = { kind: 'command', argv: ['sleep', '600'] }
    // The right one waits until the others have their boxes.
    const right = {
      kind: 'command',
      argv: ['sh', '-c', `sleep 3; sed -i 's/a - b/a + b + ${n} - ${n}/' index.js`],
    }
    const task = await writeTask(join(folder, `race-${n}`), n, [sleeper, right, sleeper, sleeper])
    const { stdout } = await command(['run', task, '--race', 'first'])
    const { run } = JSON.parse(stdout) as { run: string }
    const lines = readJournal(join(runDirectory(workshop.state, run), 'journal.jsonl'))
    const timeOf = (type: EventBody['type']) =>
      Date.parse(lines.findLast(({ body }) => body.type === type)?.at ?? '')
    times.push(timeOf('stopped') - timeOf('graded'))
  }
  const sorted = times.toSorted((one, other) => one - other)
  const p = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN
  return { races_with_losers: RACES, loser_gone_p50_ms: p(0.5), loser_gone_p99_ms: p(0.99) }
}

/** A journal of a hundred thousand events, written and read as the real one is. */
async function longJournal(): Promise<Record<string, number>> {
  const run = join(folder, 'race-0')
  const { task } = await loadTask(run)
  const digest = digestOf('bench')
  const image = { name: 'node', id: digest, recipe: digest }
  const bodies: EventBody[] = [
    {
      type: 'run-started',
      run: 'bench',
      task,
      taskDigest: digest,
      request: digest,
      base: 'b'.repeat(40),
      resolved: {},
      images: { product: image, judge: image },
      policy: task.policy,
      runner: runnerDigest(),
      attempts: Array.from({ length: 64 }, (_, index) => ({
        attempt: index + 1,
        label: 'a',
        hearsFeedback: true,
      })),
    },
    { type: 'decided', decision: { do: 'seal' } },
  ]
  for (let n = 0; bodies.length < EVENTS; n++) {
    const attempt = (n % 64) + 1
    bodies.push({ type: 'decided', decision: { do: 'start', attempt, round: 1 } })
    bodies.push({ type: 'work-failed', attempt, round: 1, fault: { code: 'infra/x', message: 'x' } })
  }
  const lines: JournalLine[] = []
  for (const body of bodies) lines.push(nextLine(lines.at(-1), '2026-01-01T00:00:00.000Z', body))
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  let began = performance.now()
  const read = readChain(text)
  const readMs = performance.now() - began
  if (read.kind !== 'whole') throw new Error('the journal is not whole')
  began = performance.now()
  fold(read.lines.map(({ body }) => body))
  return { fold_100k_events_ms: performance.now() - began, read_100k_events_ms: readMs }
}

/** Fifty landings, one after the other, each of whose branch moves between its merge and its push. */
async function landings(): Promise<Record<string, number>> {
  const target = join(folder, 'target.git')
  await git(['init', '-q', '--bare', '-b', 'main', target], { cwd: folder })
  const base = await workshop.store.writeTree([{ path: 'a', mode: '100644', content: Buffer.from('a\n') }])
  await commitTo(target, base, undefined)
  const options = { store: workshop.store, directory: join(folder, 'landing'), env: process.env }
  const landing = await openLanding({ repository: target, branch: 'main' }, options, signal)
  const who = { name: 'Bench', email: 'bench@example.org' }
  const began = performance.now()
  const landed: string[] = []
  let moved = 0
  for (let n = 0; n < LANDINGS; n++) {
    const files = [
      { path: 'a', mode: '100644' as const, content: Buffer.from('a\n') },
      { path: `ours-${n}`, mode: '100644' as const, content: Buffer.from(`${n}\n`) },
    ]
    const output = await workshop.store.writeTree(files)
    for (let tries = 0; ; tries++) {
      const tip = await landing.tip(signal)
      const merge = await landing.merge(base, tip, output, signal)
      if (merge.kind !== 'merged') throw new Error('a conflict')
      const parts = {
        tip: tip.commit,
        tree: merge.tree,
        message: 'ours\n',
        author: who,
        committer: who,
        at: new Date(0),
      }
      const commit = await landing.commit(parts, signal)
      if (tries === 0) await moveOn(target, n)
      const pushed = await landing.push(tip.commit, commit, signal)
      if (pushed.kind === 'landed') {
        landed.push(commit)
        break
      }
      if (pushed.kind === 'refused') throw new Fault('bug/bench', pushed.why)
      moved += 1
    }
  }
  const log = (await git(['rev-list', '--reverse', '--author=Bench', 'main'], { gitDirectory: target }))
    .toString()
    .trim()
    .split('\n')
  const names = (await git(['ls-tree', '--name-only', 'main'], { gitDirectory: target }))
    .toString()
    .split('\n')
  const lost = Array.from({ length: LANDINGS }, (_, n) => `ours-${n}`).filter(
    (name) => !names.includes(name),
  ).length
  return {
    landings: landed.length,
    landings_moved: moved,
    landings_lost: lost,
    landings_doubled: log.length - new Set(log).size + Math.max(0, log.length - LANDINGS),
    landings_out_of_order: log.every((commit, n) => commit === landed[n]) ? 0 : 1,
    landing_ms: (performance.now() - began) / LANDINGS,
  }
}

/** Another person's commit. */
async function moveOn(target: string, n: number): Promise<void> {
  const options = { gitDirectory: target }
  const blob = (await git(['hash-object', '-w', '--stdin'], { ...options, stdin: `${n}\n` }))
    .toString()
    .trim()
  const listing = (await git(['ls-tree', '-z', 'main'], options)).toString()
  const stdin = `${listing}100644 blob ${blob}\ttheirs-${n}\0`
  await commitTo(target, (await git(['mktree', '-z'], { ...options, stdin })).toString().trim(), 'main')
}

async function commitTo(target: string, tree: string, parent: string | undefined): Promise<void> {
  const env = {
    GIT_AUTHOR_NAME: 'Other',
    GIT_AUTHOR_EMAIL: 'other@example.org',
    GIT_COMMITTER_NAME: 'Other',
    GIT_COMMITTER_EMAIL: 'other@example.org',
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(workshop.store.directory, 'objects'),
  }
  const argv = ['commit-tree', tree, ...(parent === undefined ? [] : ['-p', parent]), '-m', 'theirs']
  const id = (await git(argv, { gitDirectory: target, env })).toString().trim()
  await git(['update-ref', 'refs/heads/main', id], { gitDirectory: target, env })
  if (parent === undefined) await git(['repack', '-a', '-d', '-q'], { gitDirectory: target, env })
}

/** The command, and the peak of its resident memory. */
async function command(argv: readonly string[]): Promise<{ stdout: string; peakRssMb: number }> {
  const main = join(import.meta.dirname, '../engine/cli/main.ts')
  const child = spawn(process.execPath, [main, '--state', state, '--json', '--quiet', ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let [stdout, peakKb] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const timer = setInterval(() => {
    readFile(`/proc/${child.pid ?? 0}/status`, 'utf8')
      .then((text) => (peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? 0))))
      .catch(() => undefined)
  }, 200)
  await once(child, 'close')
  clearInterval(timer)
  return { stdout, peakRssMb: peakKb / 1000 }
}

/** A small package with a bug, eight checks, and four right fixes that are four different trees. Made here. */
async function writeTask(directory: string, n: number, workers?: readonly object[]): Promise<string> {
  await mkdir(join(directory, 'base'), { recursive: true })
  await mkdir(join(directory, 'checks/scenarios'), { recursive: true })
  await writeFile(
    join(directory, 'base/package.json'),
    '{"name":"bench","version":"1.0.0","main":"index.js"}\n',
  )
  await writeFile(join(directory, 'base/index.js'), 'exports.add = (a, b) => a - b\n')
  await writeFile(join(directory, 'request.md'), '# add\n\n`add(a, b)` returns the sum of a and b.\n')
  const scenario = 'export default async ({ load, input }) => (await load(".")).add(...input)\n'
  await writeFile(join(directory, 'checks/scenarios/add.mjs'), scenario)
  const cases = Array.from({ length: ROWS }, (_, row) => ({
    id: `c${row}`,
    input: [row, row + 1],
    expect: { returns: row * 2 + 1 },
  }))
  const claim = {
    id: 'add',
    kind: 'change',
    statement: 'add sums',
    spec_ref: '`add(a, b)` returns the sum of a and b.',
  }
  const check = { id: 'add', claim: 'add', role: 'behaviour', scenario: 'scenarios/add.mjs', cases }
  await writeFile(
    join(directory, 'checks/checks.json'),
    JSON.stringify({ version: 1, claims: [claim], checks: [check] }),
  )
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const line = `exports.add = (a, b) => a + b // ${process.pid}-${n}-${attempt}`
    const diff = `diff --git a/index.js b/index.js\n--- a/index.js\n+++ b/index.js\n@@ -1 +1 @@\n-exports.add = (a, b) => a - b\n+${line}\n`
    await writeFile(join(directory, `a${attempt}.diff`), diff)
  }
  const patches = Array.from({ length: ATTEMPTS }, (_, attempt) => ({
    kind: 'patch',
    file: `a${attempt}.diff`,
  }))
  const task = {
    version: 1,
    id: 'bench',
    base: { from: 'directory', path: 'base' },
    image: 'node',
    workers: workers ?? patches,
    oracle: { kind: 'files', directory: 'checks' },
    policy: { admissionRuns: 2, repeats: 1, landingAnswers: 1000 },
  }
  await writeFile(join(directory, 'task.yaml'), stringify(task))
  return directory
}

/** Busy and all time of all cores since they began. */
function cpuTimes(): { readonly busy: number; readonly all: number } {
  return cpus().reduce(
    (sum, { times }) => {
      const all = Object.values(times).reduce((one, other) => one + other, 0)
      return { busy: sum.busy + all - times.idle, all: sum.all + all }
    },
    { busy: 0, all: 0 },
  )
}

function busyShare(before: ReturnType<typeof cpuTimes>, after: ReturnType<typeof cpuTimes>): number {
  return (after.busy - before.busy) / (after.all - before.all)
}
