import type { LandingRequest } from '../../specs/journal.ts'
import { Blobs } from '../journal/blobs.ts'
import { openExaminer } from '../grade/open-examiner.ts'
import { workerImage, type PreparedTask } from '../task/prepare-task.ts'
import { makeWorkers } from '../workers/make-workers.ts'
import type { Worker } from '../workers/worker.ts'
import type { Workshop } from '../workshop.ts'
import { runPaths } from './read-run.ts'
import { recordedWorkerImage, type RunStarted } from './recorded-task.ts'

/** Workers of a run, the image that they (and the oracle) work in, and the digest of the code that grades. */
export interface Crew {
  readonly workers: readonly Worker[]
  readonly image: { readonly name: string; readonly id: string; readonly recipe: string } | undefined
  readonly runner: string
}

interface CrewWatch {
  readonly note: (line: string) => void
  readonly onOutput?: (attempt: number, text: string) => void
  readonly signal: AbortSignal
}

/**
 * Reads what the workers need, so that a missing file is found before anything is written.
 * @param recorded of a resumed run: what it began with.
 */
export async function gatherCrew(
  run: string,
  directory: string,
  prepared: PreparedTask,
  workshop: Workshop,
  watch: CrewWatch,
  recorded?: RunStarted,
): Promise<Crew> {
  const { note, signal } = watch
  const { task } = prepared.loaded
  const needsBox = [...task.workers, task.oracle].some(({ kind }) => kind === 'command')
  const known =
    recorded === undefined ? undefined : await recordedWorkerImage(recorded, workshop, note, signal)
  const image = needsBox ? (known ?? (await workerImage(prepared, workshop, note, signal))) : undefined
  const blobs = new Blobs(runPaths(directory).blobs)
  const workers = await makeWorkers(
    run,
    prepared,
    image?.id,
    blobs,
    workshop,
    signal,
    watch.onOutput,
    recorded?.attempts,
  )
  const examiner = openExaminer(run, prepared, workshop)
  return { workers, image, runner: examiner.runner }
}

/** The first event of a run. */
export function startedEvent(
  run: string,
  prepared: PreparedTask,
  { workers, image, runner }: Crew,
  landing?: LandingRequest,
): RunStarted {
  const { task, taskDigest, requestDigest } = prepared.loaded
  return {
    type: 'run-started',
    run,
    task,
    taskDigest,
    request: requestDigest,
    base: prepared.base,
    resolved: { ...prepared.resolved },
    images: {
      product: prepared.product,
      judge: prepared.judge,
      ...(image === undefined ? {} : { worker: image }),
    },
    policy: task.policy,
    runner,
    attempts: workers.map(({ label, hearsFeedback, parcel, program }, index) => ({
      attempt: index + 1,
      label,
      hearsFeedback,
      ...(parcel === undefined ? {} : { parcel }),
      ...(program === undefined ? {} : { program }),
    })),
    ...(landing === undefined ? {} : { landing }),
  }
}
