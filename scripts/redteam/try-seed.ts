import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gradeChange } from '../../engine/grade/grade-change.ts'
import { passGate, treeOfPatch } from '../../engine/run/open-delivery.ts'
import { runTask } from '../../engine/run/run-task.ts'
import { loadTask, type LoadedTask } from '../../engine/task/load-task.ts'
import { prepareTask } from '../../engine/task/prepare-task.ts'
import type { Workshop } from '../../engine/workshop.ts'
import type { TreeId } from '../../specs/digest.ts'
import type { EventBody } from '../../specs/journal.ts'
import { editFiles, type PlainFile } from './edit-files.ts'
import { seenOf, tellingAttempt, type Seen } from './outcome.ts'
import { REDTEAM } from './read-seeds.ts'
import type { Attack, LookAlike } from './seed.ts'

/** What a seed is laid over. */
export type Side = 'right' | 'wrong' | 'base'
/** Which checks of its task grade it. */
export type Mechanism = 'scenario' | 'suite'

type Seed = Pick<Attack | LookAlike, 'id' | 'task' | 'files' | 'patch' | 'worker' | 'attempts'>

/** A worker that is an attack has no need of more. */
const WORKER = { rounds: 1, workerTimeoutMs: 60_000, feedbackBits: 0 }

/** Nothing is taken from an earlier grade. */
const FRESH = { fresh: true }

/**
 * Grades one seed on one side, in the way that it comes: as a diff through `gradeChange`, or as a worker's output
 * through a whole run.
 */
export async function trySeed(
  workshop: Workshop,
  seed: Seed,
  {
    side,
    mechanism,
    byDefault = false,
  }: { readonly side: Side; readonly mechanism: Mechanism; readonly byDefault?: boolean },
  signal: AbortSignal,
): Promise<Seen> {
  const scratch = await mkdtemp(join(tmpdir(), 'assay-redteam-'))
  try {
    const loaded = await loadFor(mechanism, byDefault, join(REDTEAM, 'tasks', seed.task))
    const fix = await fixOf(loaded, side)
    if (seed.worker !== undefined) return await tryWorker(workshop, loaded, fix, seed, scratch, signal)
    const diff =
      seed.files === undefined ? patchOf(seed, fix) : await diffOf(workshop, loaded, fix, seed.files, signal)
    return await tryDiff(workshop, loaded, diff, scratch, signal)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** A task with its scenarios, or with its suite and, unless the default is asked for, a policy that takes such evidence. */
async function loadFor(mechanism: Mechanism, byDefault: boolean, folder: string): Promise<LoadedTask> {
  if (mechanism === 'scenario') return loadTask(folder)
  const loaded = await loadTask(folder, byDefault ? {} : { strength: 'in_process' })
  return { ...loaded, task: { ...loaded.task, oracle: { kind: 'files', directory: 'suite' } } }
}

async function fixOf({ directory }: LoadedTask, side: Side): Promise<string> {
  return side === 'base' ? '' : readFile(join(directory, 'checks/trials', `${side}.diff`), 'utf8')
}

async function tryDiff(
  workshop: Workshop,
  loaded: LoadedTask,
  diff: Uint8Array,
  scratch: string,
  signal: AbortSignal,
): Promise<Seen> {
  const watch = { note: () => undefined, onTry: () => undefined, signal }
  if (diff.length === 0) return seenOf(await gradeChange(workshop, loaded, { base: true }, watch, FRESH))
  const prepared = await prepareTask(loaded, workshop, watch.note, signal)
  // A patch that does not apply is a user's mistake to `gradeChange`, and an outcome here.
  const built = await treeOfPatch(diff, prepared.base, workshop, signal)
  if (built.kind === 'refused') {
    const passed = await passGate(built, prepared, workshop.store, signal)
    return seenOf({ verdict: 'refuted', opened: { type: 'opened', attempt: 1, round: 1, ...passed } })
  }
  const file = join(scratch, 'change.diff')
  await writeFile(file, diff)
  return seenOf(await gradeChange(workshop, loaded, { diff: file }, watch, FRESH))
}

async function tryWorker(
  workshop: Workshop,
  { directory, task }: LoadedTask,
  fix: string,
  { worker: script = '', attempts }: Seed,
  scratch: string,
  signal: AbortSignal,
): Promise<Seen> {
  const copy = join(scratch, task.id)
  await cp(directory, copy, { recursive: true })
  const loaded = await loadTask(copy, WORKER)
  const withFix = `set -e\n[ -z "$FIX" ] || printf '%s' "$FIX" | git apply\nunset FIX\n${script}`
  const worker = { kind: 'command', argv: ['sh', '-c', withFix], env: { FIX: fix } } as const
  const gates = new Map<number, Extract<EventBody, { type: 'opened' }>>()
  const { report } = await runTask(
    workshop,
    {
      ...loaded,
      task: {
        ...loaded.task,
        workers: Array.from({ length: attempts }, () => ({ ...worker, argv: [...worker.argv] })),
      },
    },
    {
      onEvent: ({ body }) => {
        if (body.type === 'opened') gates.set(body.attempt, body)
      },
      note: () => undefined,
      signal,
    },
  )
  const held = report.outcome?.outcome === 'held' ? report.outcome.decision.cause : undefined
  const told = tellingAttempt(report)
  return seenOf({
    verdict: report.verdict,
    heldFor: held,
    opened: told === undefined ? undefined : gates.get(told.attempt),
    grade: told?.grade,
    notSealed: report.notSealed?.reasons,
  })
}

function patchOf({ id, patch }: Seed, fix: string): Uint8Array {
  if (patch === undefined) throw new Error(`${id}: expected files, patch or worker`)
  if ('instead' in patch) return Buffer.from(patch.instead)
  return Buffer.from('before' in patch ? patch.before + fix : fix + patch.after)
}

/** The diff, made in the tree store, from base to the fixed tree with the seed's edits. */
async function diffOf(
  workshop: Workshop,
  loaded: LoadedTask,
  fix: string,
  edits: NonNullable<Seed['files']>,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { store } = workshop
  const { base } = await prepareTask(loaded, workshop, () => undefined, signal)
  const built = fix === '' ? undefined : await treeOfPatch(Buffer.from(fix), base, workshop, signal)
  if (built?.kind === 'refused') throw new Error(`${loaded.task.id}: its fix does not apply`)
  const edited = editFiles(await readTree(workshop, built?.tree ?? base, signal), edits)
  const tree = await store.writeTree(
    [...edited].map(([path, file]) => ({ path, ...file })),
    signal,
  )
  return store.diff(base, tree, signal)
}

async function readTree(
  { store }: Workshop,
  tree: TreeId,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PlainFile>> {
  const files = new Map<string, PlainFile>()
  for (const { path, mode } of await store.list(tree, signal)) {
    const content = await store.readFile(tree, path, signal)
    if (content !== undefined && mode !== '160000') files.set(path, { mode, content })
  }
  return files
}
