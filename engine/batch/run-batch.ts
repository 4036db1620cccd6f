import { randomBytes } from 'node:crypto'
import { availableParallelism, freemem } from 'node:os'
import { dirname } from 'node:path'
import PQueue from 'p-queue'
import { COMMITTED_LOCK } from '../../images/committed-lock.ts'
import { runnerDigest } from '../../grader/runner-digest.ts'
import type { Batch } from '../../specs/batch.ts'
import { digestOf } from '../../specs/digest.ts'
import { Fault, toFault } from '../../specs/fault.ts'
import type { Policy } from '../../specs/policy.ts'
import { boxLimits, PRODUCT_LIMITS, WORKER_LIMITS } from '../pure/box-limits.ts'
import { summaryOf, type BatchReport } from '../pure/batch-summary.ts'
import { runsAtOnce } from '../pure/capacity.ts'
import { openDesk } from '../run/landing-desk.ts'
import { landingRequest } from '../run/landing-request.ts'
import { runId } from '../run/run-id.ts'
import { holdAlone } from '../run/run-lock.ts'
import { loadTask, type LoadedTask } from '../task/load-task.ts'
import { runDirectory, type Workshop } from '../workshop.ts'
import { recordOf, runBatchTask, type BatchWatch } from './batch-task.ts'
import { batchFile, filesOfTask, listBatches, readBatch, writeBatch } from './batch-record.ts'
import { differencesOf, type Now } from './differences.ts'

/** How a batch is run. */
export interface BatchOptions {
  /** Fields of the policy that replace those of the tasks. */
  readonly overrides: Partial<Policy>
  /** Runs side by side; as many as the host has room for when absent. */
  readonly concurrency?: number
  readonly land?: string
  readonly sign?: string
}

/**
 * Runs many tasks through one scheduler. Everything is read and checked before anything is begun, and the id of each run is
 * recorded before it begins, so that a batch that was killed goes on exactly where it stopped.
 * @param paths absolute task directories.
 * @throws Fault `config/…` for a task that cannot be read, `interrupted/…` when it is to be gone on with later.
 */
export async function runBatch(
  workshop: Workshop,
  paths: readonly string[],
  options: BatchOptions,
  watch: BatchWatch,
): Promise<BatchReport> {
  const loaded: LoadedTask[] = []
  for (const path of paths) loaded.push(await loadTask(path, options.overrides))
  const landing = await checkedLanding(workshop, options, loaded, watch)
  const now = workshop.now()
  const batch: Batch = {
    version: 1,
    id: `batch-${runId(now, randomBytes(2))}`,
    startedAt: now.toISOString(),
    runner: runnerDigest(),
    images: digestOf(COMMITTED_LOCK),
    concurrency: options.concurrency ?? roomFor(loaded),
    ...landing,
    overrides: JSON.parse(JSON.stringify(options.overrides)) as Batch['overrides'],
    tasks: await Promise.all(
      loaded.map(async (task) => ({
        ...(await factsOf(task)),
        id: task.task.id,
        run: runId(now, randomBytes(4)),
      })),
    ),
  }
  await writeBatch(workshop.state, batch)
  return work(workshop, batch, loaded, watch)
}

/**
 * Goes on with a batch where it stopped: finished runs stay, those that were begun are resumed, the others begin.
 * @param id of the batch; the last one that is not finished when absent.
 * @throws Fault `config/batch` with every difference when a task, a policy, the images or the code that grades are others
 * than it began with; nothing is run then.
 */
export async function resumeBatch(
  workshop: Workshop,
  id: string | undefined,
  watch: BatchWatch,
): Promise<BatchReport> {
  const batch = id === undefined ? await lastUnfinished(workshop) : await readBatch(workshop.state, id)
  const loaded: LoadedTask[] = []
  const unreadable: string[] = []
  for (const { path } of batch.tasks) {
    try {
      loaded.push(await loadTask(path, batch.overrides))
    } catch (error) {
      unreadable.push(toFault(error).message)
    }
  }
  const now: Now = {
    runner: runnerDigest(),
    images: digestOf(COMMITTED_LOCK),
    tasks: await Promise.all(loaded.map(factsOf)),
  }
  const differences = [...unreadable, ...differencesOf(batch, now)]
  if (differences.length > 0) {
    throw new Fault(
      'config/batch',
      `${batch.id} cannot go on, since it would mix what is not the same: ${differences.join('; ')}; start a new batch`,
    )
  }
  return work(workshop, batch, loaded, watch)
}

/** What of a task must be the same when its batch goes on. */
async function factsOf({ directory, task, taskDigest }: LoadedTask): Promise<Now['tasks'][number]> {
  return { path: directory, taskDigest, policy: digestOf(task.policy), files: await filesOfTask(directory) }
}

/** Where all of them land, by absolute names; opened once, so that what is wrong with it is told before anything runs. */
async function checkedLanding(
  workshop: Workshop,
  { land, sign }: BatchOptions,
  [first]: readonly LoadedTask[],
  { note, signal }: BatchWatch,
): Promise<Pick<Batch, 'land' | 'sign'>> {
  if (land === undefined || first === undefined) return {}
  const asked = { land, ...(sign === undefined ? {} : { sign }) }
  const request = await landingRequest(asked, first.task, signal)
  const desk = await openDesk(request, 'batch', workshop, note, signal)
  desk.close()
  const { repository, branch, signingKey } = request
  return { land: `${repository}#${branch}`, ...(signingKey === undefined ? {} : { sign: signingKey }) }
}

async function work(
  workshop: Workshop,
  batch: Batch,
  loaded: readonly LoadedTask[],
  watch: BatchWatch,
): Promise<BatchReport> {
  const letGo = holdAlone(dirname(batchFile(workshop.state, batch.id)), batch.id)
  try {
    watch.onBegun(batch)
    const queue = new PQueue({ concurrency: batch.concurrency })
    const stopped = AbortSignal.any([watch.signal, watch.drain])
    // Each comes to its end before the batch is let go, whatever becomes of the others.
    const settled = await Promise.allSettled(
      batch.tasks.map(async (task, index) =>
        queue.add(async () => {
          const begun = loaded[index]
          if (begun === undefined) throw new Fault('bug/batch', 'a task that was not loaded')
          const report = await runBatchTask(workshop, batch, task, begun, watch, stopped.aborted)
          watch.onEnded(report)
          return report
        }),
      ),
    )
    const reports = settled.map((one) => {
      if (one.status === 'rejected') throw one.reason
      return one.value
    })
    const summary = summaryOf(batch.id, reports, await spanMs(workshop, batch))
    if (summary.counts.unfinished > 0 && stopped.aborted) {
      throw new Fault(
        'interrupted/batch',
        `${whyStopped(watch)}, ${summary.counts.unfinished} of ${batch.tasks.length} tasks are left; go on with: assay run --resume ${batch.id}`,
      )
    }
    return summary
  } finally {
    letGo()
  }
}

function whyStopped({ signal, drain }: BatchWatch): string {
  const reason: unknown = signal.aborted ? undefined : drain.reason
  return reason instanceof Fault ? reason.message : 'interrupted'
}

/** From the first event of any of its runs to the last. */
async function spanMs(workshop: Workshop, batch: Batch): Promise<number> {
  const times: number[] = []
  for (const { run } of batch.tasks) {
    const recorded = await recordOf(runDirectory(workshop.state, run)).catch(() => undefined)
    for (const line of [recorded?.lines[0], recorded?.lines.at(-1)]) {
      if (line !== undefined) times.push(Date.parse(line.at))
    }
  }
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times)
}

async function lastUnfinished(workshop: Workshop): Promise<Batch> {
  for (const id of (await listBatches(workshop.state)).toReversed()) {
    const batch = await readBatch(workshop.state, id)
    for (const { run } of batch.tasks) {
      const recorded = await recordOf(runDirectory(workshop.state, run))
      if (recorded?.report.outcome === undefined) return batch
    }
  }
  throw new Fault('config/batch', '--resume: expected an id, since no batch is unfinished')
}

function roomFor(loaded: readonly LoadedTask[]): number {
  const needs = loaded.map(({ task }) => ({
    workerBytes: boxLimits(WORKER_LIMITS, task.limits.worker).memoryBytes,
    gradeBytes: boxLimits(PRODUCT_LIMITS, task.limits.product).memoryBytes,
    attempts: Math.max(1, task.policy.attempts ?? task.workers.length),
  }))
  const host = { cores: availableParallelism(), freeBytes: freemem() }
  return Math.min(...needs.map((need) => runsAtOnce(host, need)))
}
