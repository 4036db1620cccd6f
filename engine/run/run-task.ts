import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Fault } from '../../specs/fault.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { Blobs } from '../journal/blobs.ts'
import { Journal } from '../journal/journal.ts'
import type { Report } from '../pure/report.ts'
import type { RunState } from '../state.ts'
import { loadTask, type LoadedTask } from '../task/load-task.ts'
import { prepareTask, workerImage, type PreparedTask } from '../task/prepare-task.ts'
import { makeWorkers } from '../workers/make-workers.ts'
import type { Worker } from '../workers/worker.ts'
import { runDirectory, type Workshop } from '../workshop.ts'
import { openExaminer, withExaminer } from '../grade/open-examiner.ts'
import { runActions } from './actions.ts'
import { runLoop } from './loop.ts'
import { findRun, readRunDirectory, runPaths } from './read-run.ts'
import { runId } from './run-id.ts'

/** Who is told what happens, and what ends it. */
export interface Watch {
  readonly onEvent: (line: JournalLine, state: RunState) => void
  /** Steps that are no events, such as an image being built. */
  readonly note: (line: string) => void
  readonly signal: AbortSignal
}

export interface FinishedRun {
  readonly report: Report
  readonly directory: string
}

/**
 * The main job: worker and oracle side by side, gate, grading, decision, feedback rounds, until the run is finished.
 * Nothing is written before the task, its base and its images are known to be good.
 * @throws Fault `config/…`, `infra/…` (engine or registry not there at the start), `interrupted/…` (can be resumed).
 */
export async function runTask(workshop: Workshop, loaded: LoadedTask, watch: Watch): Promise<FinishedRun> {
  const { note, signal } = watch
  await workshop.sandbox.info(5000)
  const prepared = await prepareTask(loaded, workshop, note, signal)
  const run = runId(workshop.now(), randomBytes(2))
  const crew = await gather(run, prepared, workshop, watch)
  const directory = runDirectory(workshop.state, run)
  const paths = runPaths(directory)
  await mkdir(paths.blobs, { recursive: true, mode: 0o700 })
  await writeFile(paths.request, loaded.request)
  await writeFile(`${directory}/task-directory`, loaded.directory)
  const journal = Journal.create(paths.journal, workshop.now)
  journal.append(startedEvent(run, prepared, crew))
  return work(journal, directory, prepared, crew, workshop, watch)
}

/**
 * Goes on with a run whose process is gone: what was under way is done again.
 * @throws Fault `config/run` when task, base or image are not what the run began with.
 */
export async function resumeRun(workshop: Workshop, run: string, watch: Watch): Promise<FinishedRun> {
  const directory = await findRun(workshop.state, run)
  const recorded = await readRunDirectory(directory)
  const first = recorded.lines[0]?.body
  if (first?.type !== 'run-started')
    throw new Fault('config/journal', `${directory}: the journal has no beginning`)
  if (recorded.report.outcome !== undefined) return { report: recorded.report, directory }
  const loaded = await loadTask(await readFile(`${directory}/task-directory`, 'utf8'), first.policy)
  if (loaded.taskDigest !== first.taskDigest) {
    throw new Fault(
      'config/run',
      `${loaded.directory}: the task has changed since run ${first.run} began; start a new run`,
    )
  }
  const prepared = await prepareTask(loaded, workshop, watch.note, watch.signal)
  if (prepared.base !== first.base || prepared.product.id !== first.images.product.id) {
    throw new Fault(
      'config/run',
      `${loaded.directory}: base or image is not what run ${first.run} began with`,
    )
  }
  const crew = await gather(first.run, prepared, workshop, watch)
  const journal = Journal.open(runPaths(directory).journal, workshop.now)
  journal.append({ type: 'resumed', reason: 'assay run --resume' })
  return work(journal, directory, prepared, crew, workshop, watch)
}

/** Workers of a run and the image that they (and the oracle) work in. */
interface Crew {
  readonly workers: readonly Worker[]
  readonly image: { readonly name: string; readonly id: string; readonly recipe: string } | undefined
  readonly runner: string
}

async function gather(run: string, prepared: PreparedTask, workshop: Workshop, watch: Watch): Promise<Crew> {
  const { task } = prepared.loaded
  const needsBox = [...task.workers, task.oracle].some(({ kind }) => kind === 'command')
  const image = needsBox ? await workerImage(prepared, workshop, watch.note, watch.signal) : undefined
  const workers = await makeWorkers(run, prepared, image?.id, workshop, watch.signal)
  const examiner = openExaminer(run, prepared, workshop)
  return { workers, image, runner: examiner.runner }
}

async function work(
  journal: Journal,
  directory: string,
  prepared: PreparedTask,
  crew: Crew,
  workshop: Workshop,
  watch: Watch,
): Promise<FinishedRun> {
  const run = runOf(journal)
  const onEvent = (line: JournalLine, state: RunState) => {
    logEvent(workshop, prepared.loaded.task.id, run, line)
    watch.onEvent(line, state)
  }
  const blobs = new Blobs(runPaths(directory).blobs)
  try {
    await withExaminer(
      prepared,
      workshop,
      async (examiner) => {
        const actions = runActions({
          run,
          directory,
          journal,
          blobs,
          prepared,
          workers: crew.workers,
          workshop,
          examiner,
          note: watch.note,
        })
        await runLoop({ journal, actions, onEvent, signal: watch.signal })
      },
      run,
    )
  } finally {
    journal.close()
  }
  const { report } = await readRunDirectory(directory)
  return { report, directory }
}

function logEvent({ log }: Workshop, taskId: string, runId: string, { seq, body }: JournalLine): void {
  const attempt = 'attempt' in body ? { attempt: body.attempt } : {}
  const fields = { taskId, runId, seq, event: body.type, ...attempt }
  if ('fault' in body) log.warn(fields, body.fault.message)
  else log.info(fields, body.type === 'decided' ? `decided ${body.decision.do}` : body.type)
}

function runOf({ lines }: Journal): string {
  const body = lines[0]?.body
  if (body?.type !== 'run-started') throw new Fault('config/journal', 'a journal begins with run-started')
  return body.run
}

function startedEvent(run: string, prepared: PreparedTask, { workers, image, runner }: Crew): EventBody {
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
    attempts: workers.map(({ label, hearsFeedback }, index) => ({
      attempt: index + 1,
      label,
      hearsFeedback,
    })),
  }
}
