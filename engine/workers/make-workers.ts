import { join } from 'node:path'
import type { Digest, TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { Blobs } from '../journal/blobs.ts'
import type { Task, WorkerSpec } from '../../specs/task.ts'
import { boxLimits, WORKER_LIMITS } from '../pure/box-limits.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import { resolveBase } from '../trees/base/resolve-base.ts'
import type { Workshop } from '../workshop.ts'
import { commandWorker } from './command-worker.ts'
import { patchWorker, readPatch, recordedPatchWorker } from './patch-worker.ts'
import type { Worker } from './worker.ts'

/** What a run recorded of an attempt's material. */
interface GivenToAttempt {
  readonly parcel?: Digest | undefined
  readonly program?: TreeId | undefined
}

/**
 * The workers of a task, in order. What they need is read now, so that a missing file is found before anything runs.
 * @param imageId image of worker boxes; needed for `command` workers.
 * @param recorded of a resumed run: what its attempts were given, which is given again.
 * @throws Fault `config/patch`, `config/base` for a program folder that cannot be read.
 */
export async function makeWorkers(
  run: string,
  prepared: PreparedTask,
  imageId: string | undefined,
  blobs: Blobs,
  workshop: Workshop,
  signal: AbortSignal,
  onOutput?: (attempt: number, text: string) => void,
  recorded: readonly GivenToAttempt[] = [],
): Promise<readonly Worker[]> {
  const { task, directory, request } = prepared.loaded
  const workers: Worker[] = []
  for (const [index, spec] of attemptsOf(task).entries()) {
    const given = recorded[index]
    if (spec.kind === 'patch') {
      const label = spec.label ?? spec.file
      workers.push(
        given?.parcel === undefined
          ? patchWorker(await readPatch(join(directory, spec.file)), label, blobs)
          : recordedPatchWorker(given.parcel, label, blobs),
      )
      continue
    }
    if (imageId === undefined) throw new Fault('bug/worker-image', 'a command worker without an image')
    workers.push(
      commandWorker(spec, {
        sandbox: workshop.sandbox,
        trees: workshop.store,
        blobs,
        runId: run,
        imageId,
        limits: boxLimits(WORKER_LIMITS, task.limits.worker),
        workdir: task.workdir,
        base: prepared.base,
        request,
        program: given?.program ?? (await programTree(spec.program, prepared, workshop, signal)),
        timeoutMs: task.policy.workerTimeoutMs,
        ...(onOutput === undefined ? {} : { onOutput }),
        ...(workshop.runtime === undefined ? {} : { runtime: workshop.runtime }),
      }),
    )
  }
  return workers
}

/** The worker of each attempt: one of each, or as many attempts as the policy says, in turns. */
function attemptsOf({ workers, policy }: Task): readonly WorkerSpec[] {
  const { attempts = workers.length } = policy
  return Array.from({ length: attempts }, (_, index) => workers[index % workers.length]).filter(
    (spec) => spec !== undefined,
  )
}

/** The tree of a program folder of the task. */
export async function programTree(
  folder: string | undefined,
  prepared: PreparedTask,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<TreeId | undefined> {
  if (folder === undefined) return undefined
  const { tree } = await resolveBase(
    { from: 'directory', path: folder },
    { taskDirectory: prepared.loaded.directory, store: workshop.store, cacheDirectory: workshop.state.cache },
    signal,
  )
  return tree
}
