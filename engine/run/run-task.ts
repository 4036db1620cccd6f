import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Fault, toFault } from '../../specs/fault.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { Blobs } from '../journal/blobs.ts'
import { isEmptyJournal, Journal } from '../journal/journal.ts'
import { dropTornLine } from '../journal/torn-line.ts'
import { withResumeHint } from '../pure/resume-hint.ts'
import type { Report } from '../pure/report.ts'
import { fold, type RunState } from '../state.ts'
import type { LoadedTask } from '../task/load-task.ts'
import { prepareTask, type PreparedTask } from '../task/prepare-task.ts'
import { runDirectory, type Workshop } from '../workshop.ts'
import { withExaminer } from '../grade/open-examiner.ts'
import type { Notify } from '../../specs/policy.ts'
import { runActions } from './actions.ts'
import { gatherCrew, startedEvent, type Crew } from './crew.ts'
import { openDesk, type LandingDesk } from './landing-desk.ts'
import { landingRequest, type LandingAsked } from './landing-request.ts'
import { runLoop } from './loop.ts'
import { keepNotify, tellOfHold } from './notify.ts'
import { whenEngineIsBack } from './engine-back.ts'
import { findRun, readRunDirectory, runPaths } from './read-run.ts'
import { prepareRecordedTask, requireSame } from './recorded-task.ts'
import { runId } from './run-id.ts'
import { holdAlone } from './run-lock.ts'

/** Who is told what happens, and what ends it. */
export interface Watch {
  readonly onEvent: (line: JournalLine, state: RunState) => void
  /** Steps that are no events, such as an image being built. */
  readonly note: (line: string) => void
  /** What a worker prints while it works. */
  readonly onOutput?: (attempt: number, text: string) => void
  readonly signal: AbortSignal
  /** Ends it, resumable, when what is under way has come to its outcome. */
  readonly drain?: AbortSignal
}

export interface RunOptions {
  /** The id of the run; drawn when absent. A run of that id that was cut off before its first event is begun anew. */
  readonly run?: string
  /** Where a verified output lands; nothing lands when absent. */
  readonly landing?: LandingAsked
  /** Who is told when the run is held. */
  readonly notify?: Notify
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
export async function runTask(
  workshop: Workshop,
  loaded: LoadedTask,
  watch: Watch,
  options: RunOptions = {},
): Promise<FinishedRun> {
  const { note, signal } = watch
  const landing =
    options.landing === undefined ? undefined : await landingRequest(options.landing, loaded.task, signal)
  await workshop.sandbox.info(5000)
  const prepared = await prepareTask(loaded, workshop, note, signal)
  const run = options.run ?? runId(workshop.now(), randomBytes(2))
  const directory = runDirectory(workshop.state, run)
  const paths = runPaths(directory)
  const crew = await gatherCrew(run, directory, prepared, workshop, watch)
  const desk = landing === undefined ? undefined : await openDesk(landing, run, workshop, note, signal)
  const letGo = holdAlone(directory, `run ${run}`)
  try {
    // Nothing is done before the first event, so there is nothing to lose.
    if (isEmptyJournal(paths.journal)) await rm(paths.journal)
    await mkdir(paths.blobs, { recursive: true, mode: 0o700 })
    await writeFile(paths.request, loaded.request, { flush: true })
    await writeFile(paths.taskDirectory, loaded.directory, { flush: true })
    for (const worker of crew.workers) await worker.keep?.()
    const journal = Journal.create(paths.journal, workshop.now)
    if (options.notify !== undefined) await keepNotify(directory, options.notify)
    const first = startedEvent(run, prepared, crew, landing)
    return await work(journal, first, { run, directory, prepared, crew, desk, workshop, watch })
  } finally {
    desk?.close()
    letGo()
  }
}

export interface ResumeOptions {
  /** Goes on without a last line that a crash cut off; it is kept beside the journal. */
  readonly dropTornLine?: boolean
}

interface GoOnOptions extends ResumeOptions {
  /** What the run goes on with, where it is not that its process was gone: a person's answer. */
  readonly begin?: EventBody
}

/**
 * Goes on with a run whose process is gone: what was under way is done again.
 * @throws Fault `config/run-busy` while another process works at it, `config/run` when base, an image or the code that
 * grades is not what the run began with.
 */
export async function resumeRun(
  workshop: Workshop,
  run: string,
  watch: Watch,
  options: ResumeOptions = {},
): Promise<FinishedRun> {
  const directory = await findRun(workshop.state, run)
  if (options.dropTornLine !== true) {
    const { report } = await readRunDirectory(directory)
    if (report.outcome !== undefined) return { report, directory }
  }
  const letGo = holdAlone(directory, `run ${basename(directory)}`)
  try {
    return await goOn(workshop, directory, watch, options)
  } finally {
    letGo()
  }
}

/**
 * Goes on with a run that this process holds.
 * @throws as {@link resumeRun}.
 */
export async function goOn(
  workshop: Workshop,
  directory: string,
  watch: Watch,
  options: GoOnOptions,
): Promise<FinishedRun> {
  const paths = runPaths(directory)
  const torn = options.dropTornLine === true ? dropTornLine(paths.journal) : undefined
  const { lines, report } = await readRunDirectory(directory)
  if (options.begin === undefined && report.outcome !== undefined) return { report, directory }
  const first = lines[0]?.body
  if (first?.type !== 'run-started')
    throw new Fault('config/journal', `${directory}: the journal has no beginning`)
  const prepared = await prepareRecordedTask(directory, first, workshop, watch.note, watch.signal)
  const { run } = first
  const crew = await gatherCrew(run, directory, prepared, workshop, watch, first)
  requireSame(first, 'worker image', first.images.worker?.id, crew.image?.id)
  requireSame(first, 'the code that grades', first.runner, crew.runner)
  const desk =
    first.landing === undefined
      ? undefined
      : await openDesk(first.landing, run, workshop, watch.note, watch.signal)
  const journal = Journal.open(paths.journal, workshop.now)
  const without =
    torn === undefined
      ? ''
      : `, without a last line of ${torn.sizeBytes} bytes that was cut off (${torn.file})`
  const resumed: EventBody = { type: 'resumed', reason: `assay run --resume${without}` }
  try {
    return await work(journal, options.begin ?? resumed, {
      run,
      directory,
      prepared,
      crew,
      desk,
      workshop,
      watch,
    })
  } finally {
    desk?.close()
  }
}

/** One run, ready to be worked at. */
interface Job {
  readonly run: string
  readonly directory: string
  readonly prepared: PreparedTask
  readonly crew: Crew
  readonly desk: LandingDesk | undefined
  readonly workshop: Workshop
  readonly watch: Watch
}

/** @param begin the first event of this process: how the run starts, or goes on. */
async function work(journal: Journal, begin: EventBody, job: Job): Promise<FinishedRun> {
  const { run, directory, prepared, crew, desk, workshop, watch } = job
  const onEvent = (line: JournalLine, state: RunState) => {
    logEvent(workshop, prepared.loaded.task.id, run, line)
    // Who watches must not end the run: a terminal that is gone, for one.
    try {
      watch.onEvent(line, state)
    } catch (error) {
      workshop.log.warn({ runId: run, seq: line.seq }, `onEvent threw: ${toFault(error).message}`)
    }
  }
  const blobs = new Blobs(runPaths(directory).blobs)
  try {
    if (watch.drain?.aborted === true) throw new Fault('interrupted/drained', 'interrupted before it began')
    const line = journal.append(begin)
    // The first thing that is shown is the run's name: who interrupts it needs it.
    onEvent(line, fold(journal.lines.map(({ body }) => body)))
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
          desk,
          note: watch.note,
        })
        await runLoop({
          journal,
          actions,
          onEvent,
          signal: watch.signal,
          drain: watch.drain,
          around: (step, end) => whenEngineIsBack(step, (ms) => workshop.sandbox.info(ms), end),
        })
      },
      run,
    )
  } catch (error) {
    throw withResumeHint(toFault(error), run)
  } finally {
    journal.close()
  }
  const { report } = await readRunDirectory(directory)
  if (report.outcome?.outcome === 'held') await tellOfHold(workshop, directory, watch.note)
  return { report, directory }
}

function logEvent({ log }: Workshop, taskId: string, runId: string, { seq, body }: JournalLine): void {
  const attempt = 'attempt' in body && body.attempt !== undefined ? { attempt: body.attempt } : {}
  const fields = { taskId, runId, seq, event: body.type, ...attempt }
  if ('fault' in body) log.warn(fields, body.fault.message)
  else log.info(fields, body.type === 'decided' ? `decided ${body.decision.do}` : body.type)
}
