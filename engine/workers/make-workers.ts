import { join } from 'node:path'
import type { TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import { Blobs } from '../journal/blobs.ts'
import { boxLimits, WORKER_LIMITS } from '../pure/box-limits.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import { resolveBase } from '../trees/base/resolve-base.ts'
import { runPaths } from '../run/read-run.ts'
import { runDirectory, type Workshop } from '../workshop.ts'
import { commandWorker } from './command-worker.ts'
import { patchWorker, readPatch } from './patch-worker.ts'
import type { Worker } from './worker.ts'

/**
 * The workers of a task, in order. What they need is read now, so that a missing file is found before anything runs.
 * @param imageId image of worker boxes; needed for `command` workers.
 * @throws Fault `config/patch`, `config/base` for a program folder that cannot be read.
 */
export async function makeWorkers(
  run: string,
  prepared: PreparedTask,
  imageId: string | undefined,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<readonly Worker[]> {
  const { task, directory, request } = prepared.loaded
  const blobs = new Blobs(runPaths(runDirectory(workshop.state, run)).blobs)
  const workers: Worker[] = []
  for (const spec of task.workers) {
    if (spec.kind === 'patch') {
      const file = join(directory, spec.file)
      await readPatch(file)
      workers.push(patchWorker(file, spec.label ?? spec.file, blobs))
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
        program: await programTree(spec.program, prepared, workshop, signal),
        timeoutMs: task.policy.workerTimeoutMs,
        ...(workshop.runtime === undefined ? {} : { runtime: workshop.runtime }),
      }),
    )
  }
  return workers
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
