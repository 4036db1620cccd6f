import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import PQueue from 'p-queue'
import { decide } from '../engine/decide.ts'
import { evolve, initialState } from '../engine/state.ts'
import { gradeChange } from '../engine/grade/grade-change.ts'
import { openExaminer } from '../engine/grade/open-examiner.ts'
import { replayDecisions } from '../engine/pure/replay-decisions.ts'
import { nextLine, readChain } from '../engine/pure/journal-chain.ts'
import { stateRoot } from '../engine/state-directory.ts'
import { loadTask } from '../engine/task/load-task.ts'
import { prepareTask } from '../engine/task/prepare-task.ts'
import { openWorkshop, type Workshop } from '../engine/workshop.ts'
import { expandCheckSet } from '../specs/expand.ts'
import { checkSetSchema } from '../specs/check-set.ts'
import { policySchema } from '../specs/policy.ts'
import type { Decision } from '../specs/decision.ts'
import type { EventBody, JournalLine } from '../specs/journal.ts'
import { taskSchema } from '../specs/task.ts'

/**
 * `npm run bench:grade`: what grading costs beside `docker run --rm`, what a second grade costs, how fast decisions
 * replay, and how much memory the engine process takes.
 */
const CHECKS = 12
const TASKS = 50
const BOXES = 4
const run = promisify(execFile)
const signal = new AbortController().signal
const quiet = { note: () => undefined, onTry: () => undefined, signal }

const workshop = await openWorkshop({ stateRoot: stateRoot(undefined, process.env) })
const folder = await mkdtemp(join(tmpdir(), 'assay-bench-'))
try {
  await writeTask(folder)
  const metrics = {
    ...(await compareWithDockerRun()),
    ...(await secondGrade()),
    ...decisionsPerSecond(),
    ...memoryOfManyTasks(),
  }
  const limits: Record<string, (value: number) => boolean> = {
    ratio_to_docker_run: (value) => value <= 1 / 3,
    second_grade_ms: (value) => value < 100,
    second_grade_containers: (value) => value === 0,
    decisions_per_second: (value) => value >= 10_000,
    peak_rss_mb: (value) => value < 250,
  }
  const rows = Object.entries(metrics).map(([name, value]) => {
    const isMet = limits[name]?.(value)
    return `${name.padEnd(28)} ${value.toFixed(3).padStart(12)}  ${isMet === undefined ? '' : isMet ? 'ok' : 'MISSED'}`
  })
  console.log(rows.join('\n'))
  const ok = Object.entries(limits).every(([name, isMet]) =>
    isMet((metrics as Record<string, number>)[name] ?? NaN),
  )
  console.log(JSON.stringify({ bench: 'grade', metrics, ok }))
  process.exitCode = ok ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exit()

/** A small package with a bug, twelve scenario checks for it, and a fix. Made here, by this script. */
async function writeTask(directory: string): Promise<void> {
  await mkdir(join(directory, 'base'))
  await mkdir(join(directory, 'checks/scenarios'), { recursive: true })
  await writeFile(
    join(directory, 'base/package.json'),
    '{"name":"bench","version":"1.0.0","main":"index.js"}\n',
  )
  await writeFile(join(directory, 'base/index.js'), 'exports.add = (a, b) => a - b\n')
  await writeFile(join(directory, 'request.md'), '# add\n\n`add(a, b)` returns the sum of a and b.\n')
  const scenario = 'export default async ({ load, input }) => (await load(".")).add(...input)\n'
  await writeFile(join(directory, 'checks/scenarios/add.mjs'), scenario)
  const cases = Array.from({ length: CHECKS }, (_, n) => ({
    id: `n${n}`,
    input: [n + 1, n + 2],
    expect: { returns: 2 * n + 3 },
  }))
  const claims = [
    { id: 'sum', kind: 'change', statement: 'add adds', spec_ref: '`add(a, b)` returns the sum of a and b.' },
  ]
  const checks = [{ id: 'sum', claim: 'sum', role: 'behaviour', scenario: 'scenarios/add.mjs', cases }]
  await writeFile(join(directory, 'checks/checks.json'), JSON.stringify({ version: 1, claims, checks }))
  await writeFile(
    join(directory, 'task.yaml'),
    'version: 1\nid: bench\nbase: {from: directory, path: base}\nimage: node\noracle: {kind: files, directory: checks}\npolicy: {repeats: 1, admissionRuns: 2}\n',
  )
  await writeFile(join(directory, 'fix.diff'), diffOf('a - b', 'a + b'))
}

function diffOf(before: string, after: string): string {
  return `diff --git a/index.js b/index.js\n--- a/index.js\n+++ b/index.js\n@@ -1 +1 @@\n-exports.add = (a, b) => ${before}\n+exports.add = (a, b) => ${after}\n`
}

/** Both in this run, in turn: ours, docker run, ours, docker run, …; the ratio of the medians. */
async function compareWithDockerRun() {
  const prepared = await prepareTask(await loadTask(folder), workshop, () => undefined, signal)
  const applied = await workshop.store.applyPatch(prepared.base, Buffer.from(diffOf('a - b', 'a + b')))
  if (applied.kind === 'refused') throw new Error(applied.reason)
  const trees = [prepared.base, applied.tree]
  const document = checkSetSchema.parse(JSON.parse(await readText('checks/checks.json')))
  const files = new Map([['scenarios/add.mjs', Buffer.from(await readText('checks/scenarios/add.mjs'))]])
  const { probes } = expandCheckSet(document)
  const ours: number[] = []
  const cleared: number[] = []
  const docker: number[] = []
  for (let round = 0; round < 4; round += 1) {
    const id = `bench-${randomBytes(3).toString('hex')}`
    const examiner = openExaminer(id, prepared, workshop)
    ours.push(
      await timed(async () => {
        const both = trees.map((tree) =>
          examiner.observe({ tree, files, probes, times: 1, orderSeed: round, signal }),
        )
        for (const { observed, findings } of await Promise.all(both)) {
          if (observed.length !== CHECKS || findings.length > 0) throw new Error(JSON.stringify(findings))
        }
      }),
    )
    // Results do not wait for boxes to be removed; `docker run --rm` does, so its time is compared with both together.
    cleared.push((ours.at(-1) ?? NaN) + (await timed(() => examiner.close())))
    docker.push(await timed(() => underDockerRun(prepared.product.id, trees.length * CHECKS)))
  }
  return {
    ours_ms: median(ours),
    ours_and_removal_ms: median(cleared),
    docker_run_ms: median(docker),
    ratio_to_docker_run: median(cleared) / median(docker),
  }
}

/** The same scenario processes, each in a container of its own, two at a time. */
async function underDockerRun(image: string, count: number): Promise<void> {
  const volume = `${join(folder, 'base')}:/box/tree:ro`
  const script = 'const {add} = require("/box/tree"); process.stdout.write(String(add(1, 2)))'
  const argv = [
    'run',
    '--rm',
    '--network',
    'none',
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'ALL',
    '-u',
    '20000:20000',
    '-v',
    volume,
    image,
    'node',
    '-e',
    script,
  ]
  const queue = new PQueue({ concurrency: 2 })
  await Promise.all(Array.from({ length: count }, () => queue.add(() => run('docker', argv))))
}

async function secondGrade() {
  const loaded = await loadTask(folder)
  const change = { diff: join(folder, 'fix.diff') }
  const first = await gradeChange(workshop, loaded, change, quiet)
  if (first.verdict !== 'verified') throw new Error(`the fix is ${first.verdict}`)
  let containers = 0
  const counted: Workshop = { ...workshop, sandbox: countingSandbox(() => (containers += 1)) }
  const times: number[] = []
  for (let n = 0; n < 5; n += 1) {
    times.push(
      await timed(async () => {
        const again = await gradeChange(counted, loaded, change, quiet)
        if (!again.cached) throw new Error('the second grade was not taken from the first')
      }),
    )
  }
  return { second_grade_ms: median(times), second_grade_containers: containers }
}

function countingSandbox(count: () => void): Workshop['sandbox'] {
  return new Proxy(workshop.sandbox, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name === 'startBox' || name === 'createVolume' || name === 'readImage') count()
      return value.bind(target) as unknown
    },
  })
}

/** As `assay replay --level decisions` does it: read the journal, check its chain, fold and decide again. */
function decisionsPerSecond() {
  const text = syntheticRun(2000)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')
  const replayOnce = () => {
    const chain = readChain(text)
    if (chain.kind === 'broken') throw new Error(chain.why)
    const { decisions, divergence } = replayDecisions(chain.lines)
    if (divergence !== undefined) throw new Error(JSON.stringify(divergence))
    return decisions
  }
  replayOnce()
  const started = performance.now()
  let done = 0
  while (performance.now() - started < 2000) done += replayOnce()
  return { decisions_per_second: done / ((performance.now() - started) / 1000) }
}

/** A run of many attempts and rounds, made by this script: what decide() says is done, with scripted outcomes. */
function syntheticRun(atLeast: number): readonly JournalLine[] {
  const digest = `sha256:${'0'.repeat(64)}`
  const image = { name: 'node', id: digest, recipe: digest }
  const policy = policySchema.parse({ rounds: 20, feedbackBits: 1000, race: 'all' })
  const attempts = Array.from({ length: 24 }, (_, n) => ({
    attempt: n + 1,
    label: `a${n + 1}`,
    hearsFeedback: true,
  }))
  const lines: JournalLine[] = []
  let state = initialState
  const emit = (body: EventBody) => {
    lines.push(nextLine(lines.at(-1), '2026-01-01T00:00:00.000Z', body))
    state = evolve(state, body)
  }
  emit({
    type: 'run-started',
    run: 'bench',
    task: taskSchema.parse({
      version: 1,
      id: 'bench',
      base: { from: 'directory', path: 'base' },
      image: 'node',
      oracle: { kind: 'files', directory: 'checks' },
    }),
    taskDigest: digest,
    request: digest,
    base: '0'.repeat(40),
    resolved: {},
    images: { product: image, judge: image },
    policy,
    runner: digest,
    attempts,
  })
  for (let decision = decide(state); decision.do !== 'wait'; decision = decide(state)) {
    emit({ type: 'decided', decision })
    const outcome = outcomeOf(decision, digest)
    if (outcome !== undefined) emit(outcome)
  }
  const decisions = lines.filter(({ body }) => body.type === 'decided').length
  if (decisions < atLeast / 2) throw new Error(`only ${decisions} decisions`)
  return lines
}

function outcomeOf(decision: Decision, digest: string): EventBody | undefined {
  switch (decision.do) {
    case 'seal':
      return { type: 'sealed', seal: digest, claims: 1, rows: 1, hasGuard: true, flags: [] }
    case 'start':
      return {
        type: 'delivered',
        attempt: decision.attempt,
        round: decision.round,
        end: { kind: 'exited', code: 0 },
        parcel: digest,
      }
    case 'open':
      return {
        type: 'opened',
        attempt: decision.attempt,
        round: decision.round,
        tree: '0'.repeat(40),
        gate: { kind: 'passed' },
        dependencies: { kind: 'none' },
        changed: 1,
        ignored: [],
      }
    case 'grade':
      return {
        type: 'graded',
        attempt: decision.attempt,
        round: decision.round,
        grade: digest,
        verdict: 'refuted',
        findings: 0,
        failed: 1,
        of: 1,
        strength: 'isolated',
        cached: false,
      }
    case 'feedback':
      return { type: 'feedback-given', attempt: decision.attempt, round: decision.round, failed: 1, of: 1 }
    default:
      return undefined
  }
}

/** In a process of its own, which does nothing else. */
function memoryOfManyTasks(): { readonly peak_rss_mb: number } {
  const script = join(import.meta.dirname, 'bench-grade-memory.ts')
  const output = execFileSync(process.execPath, [script, folder, String(TASKS), String(BOXES)], {
    encoding: 'utf8',
  })
  return { peak_rss_mb: Number(output) }
}

async function readText(path: string): Promise<string> {
  return readFile(join(folder, path), 'utf8')
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
