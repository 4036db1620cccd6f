import { existsSync } from 'node:fs'
import type { Batch } from '../../specs/batch.ts'
import { exitCodeOf, Fault, faultFamily, toFault } from '../../specs/fault.ts'
import type { JournalLine } from '../../specs/journal.ts'
import type { Notify } from '../../specs/policy.ts'
import { isEmptyJournal, journalPath } from '../journal/journal.ts'
import type { BatchTaskReport } from '../pure/batch-summary.ts'
import { readRunDirectory, type RecordedRun } from '../run/read-run.ts'
import { resumeRun, runTask } from '../run/run-task.ts'
import type { RunState } from '../state.ts'
import type { LoadedTask } from '../task/load-task.ts'
import { runDirectory, type Workshop } from '../workshop.ts'

/** A run of a batch: the id of its task, and its own. */
export interface BatchRun {
  readonly task: string
  readonly run: string
}

/** What a batch is told as it goes, and what ends it. */
export interface BatchWatch {
  readonly onBegun: (batch: Batch) => void
  readonly onEvent: (about: BatchRun, line: JournalLine, state: RunState) => void
  readonly onEnded: (task: BatchTaskReport) => void
  readonly note: (line: string) => void
  readonly signal: AbortSignal
  /** Ends it, resumable, when what is under way has come to its outcome. */
  readonly drain: AbortSignal
  /** Who is told of what is held. */
  readonly notify?: Notify
}

/** Runs, or goes on with, one task. What goes wrong with it is its own, and ends no other. */
export async function runBatchTask(
  workshop: Workshop,
  batch: Batch,
  { run, path }: Batch['tasks'][number],
  loaded: LoadedTask,
  watch: BatchWatch,
  isOver: boolean,
): Promise<BatchTaskReport> {
  const directory = runDirectory(workshop.state, run)
  const about = { task: loaded.task.id, path, run }
  const one = {
    onEvent: (line: JournalLine, state: RunState) => watch.onEvent(about, line, state),
    note: (line: string) => watch.note(`${loaded.task.id}: ${line}`),
    signal: watch.signal,
    drain: watch.drain,
  }
  try {
    const before = await recordOf(directory)
    if (isOver && before?.report.outcome === undefined) return unfinished(about, before)
    if (before === undefined) {
      const { land, sign } = batch
      await runTask(workshop, loaded, one, {
        run,
        ...(land === undefined ? {} : { landing: { land, ...(sign === undefined ? {} : { sign }) } }),
        ...(watch.notify === undefined ? {} : { notify: watch.notify }),
      })
    } else if (before.report.outcome === undefined) {
      await resumeRun(workshop, run, one)
    }
  } catch (error) {
    const fault = toFault(error)
    if (faultFamily(fault.code) === 'bug') throw fault
    const recorded = await recordOf(directory).catch(() => undefined)
    if (faultFamily(fault.code) === 'interrupted') return unfinished(about, recorded)
    return {
      ...about,
      verdict: 'failed',
      why: `${fault.message} [${fault.code}]`,
      attempts: attemptsOf(recorded),
      ms: msOf(recorded),
      exitCode: exitCodeOf(fault.code),
    }
  }
  const recorded = await recordOf(directory)
  if (recorded === undefined) throw new Fault('bug/batch', `run ${run} left no record`)
  return reportOfTask(about, recorded)
}

type About = Pick<BatchTaskReport, 'task' | 'path' | 'run'>

function reportOfTask(about: About, recorded: RecordedRun): BatchTaskReport {
  const { verdict, outcome, exitCode, landing } = recorded.report
  const why =
    outcome?.outcome === 'held' ? { why: `${outcome.decision.cause}: ${outcome.decision.missing}` } : {}
  return {
    ...about,
    verdict,
    ...why,
    attempts: attemptsOf(recorded),
    ...(landing?.commit === undefined ? {} : { landed: landing.commit }),
    ms: msOf(recorded),
    exitCode,
  }
}

function unfinished(about: About, recorded: RecordedRun | undefined): BatchTaskReport {
  return {
    ...about,
    verdict: 'unfinished',
    attempts: attemptsOf(recorded),
    ms: msOf(recorded),
    exitCode: 130,
  }
}

function attemptsOf(recorded: RecordedRun | undefined): BatchTaskReport['attempts'] {
  return (recorded?.report.attempts ?? []).map(({ attempt, state }) => ({ attempt, state }))
}

function msOf(recorded: RecordedRun | undefined): number {
  const [first, last] = [recorded?.lines[0], recorded?.lines.at(-1)]
  return first === undefined || last === undefined
    ? 0
    : Math.max(0, Date.parse(last.at) - Date.parse(first.at))
}

/** The record of a run that wrote a first event. */
export async function recordOf(directory: string): Promise<RecordedRun | undefined> {
  const journal = journalPath(directory)
  if (!existsSync(journal) || isEmptyJournal(journal)) return undefined
  return readRunDirectory(directory)
}
