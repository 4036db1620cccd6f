import { readFile } from 'node:fs/promises'
import { findPinned } from '../../images/find-pinned.ts'
import type { PinnedImage } from '../../images/deps.ts'
import { Fault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { LoadedTask } from '../task/load-task.ts'
import { prepareTask, type PreparedTask } from '../task/prepare-task.ts'
import type { Workshop } from '../workshop.ts'
import { runPaths } from './read-run.ts'

export type RunStarted = Extract<EventBody, { type: 'run-started' }>

/**
 * The task as the run began with it: from the journal and what stands beside it. Base and images are the recorded ones
 * where this machine still has them, so a branch that moved, a registry that is down or a task folder that is gone do
 * not end a run; what is gone is fetched again and compared.
 * @throws Fault `config/run` when base or an image is not what the run began with.
 */
export async function prepareRecordedTask(
  directory: string,
  first: RunStarted,
  workshop: Workshop,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<PreparedTask> {
  const paths = runPaths(directory)
  const loaded: LoadedTask = {
    // Only what was not read at the beginning is looked for there: the oracle's files before they are sealed.
    directory: await readFile(paths.taskDirectory, 'utf8').catch(() => directory),
    task: { ...first.task, policy: first.policy },
    request: await readFile(paths.request, 'utf8'),
    requestDigest: first.request,
    taskDigest: first.taskDigest,
  }
  const hasBase = await workshop.store.has(first.base)
  const prepared = await prepareTask(loaded, workshop, note, signal, {
    ...(hasBase ? { tree: { base: first.base, resolved: first.resolved } } : {}),
    images: first.images,
  })
  requireSame(first, 'base', first.base, prepared.base)
  requireSame(first, 'product image', first.images.product.id, prepared.product.id)
  requireSame(first, 'judge image', first.images.judge.id, prepared.judge.id)
  return prepared
}

/** The recorded worker image if the engine still has it. */
export async function recordedWorkerImage(
  first: RunStarted,
  workshop: Workshop,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<PinnedImage | undefined> {
  const { worker } = first.images
  if (worker === undefined) return undefined
  return (await findPinned(workshop.images(note, signal), worker))?.image
}

/** @throws Fault `config/run` that says what is another than the run began with. */
export function requireSame(
  { run }: RunStarted,
  what: string,
  recorded: string | undefined,
  now: string | undefined,
): void {
  if (recorded === now) return
  throw new Fault(
    'config/run',
    `run ${run}: ${what} is ${now ?? 'none'}, but it began with ${recorded ?? 'none'}; start a new run`,
  )
}
