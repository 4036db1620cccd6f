/**
 * Assay from TypeScript: the same as the command line, without printing.
 *
 * Every function takes where state is kept and which engine to use, and throws a `Fault` (see `specs/fault.ts`) with a
 * `code` for what is wrong with input, host or engine. Verdicts are values.
 */
import type { Policy } from '../specs/policy.ts'
import type { EventBody, JournalLine } from '../specs/journal.ts'
import { findTasks } from './batch/find-tasks.ts'
import { runBatch } from './batch/run-batch.ts'
import type { BatchReport, BatchTaskReport } from './pure/batch-summary.ts'
import { gradeChange, type Change, type GradedChange } from './grade/grade-change.ts'
import {
  replayFixtureDecisions,
  replayFixtureGrades,
  type ReplayLevel,
  type ReplayResult,
} from './fixture/replay.ts'
import { runTask as runLoadedTask, type FinishedRun } from './run/run-task.ts'
import { checkedPolicy } from './pure/checked-policy.ts'
import { stateRoot } from './state-directory.ts'
import { loadTask } from './task/load-task.ts'
import { openWorkshop, sweepLeftovers } from './workshop.ts'

export { decide } from './decide.ts'
export { evolve, fold, initialState } from './state.ts'
export type { RunState } from './state.ts'
export type { Report } from './pure/report.ts'
export type { BatchReport, BatchTaskReport }
export type { Change, GradedChange, FinishedRun, ReplayResult, ReplayLevel }
export { Fault } from '../specs/fault.ts'
export type { Decision } from '../specs/decision.ts'
export type { EventBody, JournalLine } from '../specs/journal.ts'
export type { Grade } from '../specs/grade.ts'
export type { Policy }

export interface AssayOptions {
  /** State directory; ASSAY_STATE or the XDG state folder when absent. */
  readonly state?: string
  /** `unix:///path` or `tcp://host:port`; DOCKER_HOST or the usual sockets when absent. */
  readonly dockerHost?: string
  /** Container runtime of all boxes, e.g. `runsc`. */
  readonly runtime?: string
  /** A step that takes a while, such as an image being built. */
  readonly onNote?: (line: string) => void
  readonly signal?: AbortSignal
}

/**
 * The main job for one task directory: worker and oracle side by side, gate, grading, decision, feedback rounds.
 * @param options.policy fields that replace the task's policy.
 * @returns the report of the finished run and the directory of its record.
 */
export async function runTask(
  task: string,
  options: AssayOptions & {
    readonly policy?: Partial<Policy>
    readonly onEvent?: (event: EventBody) => void
    /** `REPO#BRANCH`: where a verified output lands. */
    readonly land?: string
    /** With `land`: the file of an ed25519 key that signs an attestation of what landed. */
    readonly sign?: string
  } = {},
): Promise<FinishedRun> {
  const loaded = await loadTask(task, checkedPolicy(options.policy))
  const { land, sign } = options
  const watch = {
    onEvent: ({ body }: JournalLine) => options.onEvent?.(body),
    note: (line: string) => options.onNote?.(line),
    signal: signalOf(options),
  }
  const landing = land === undefined ? {} : { landing: { land, ...(sign === undefined ? {} : { sign }) } }
  return runLoadedTask(await workshopOf(options), loaded, watch, landing)
}

/**
 * Many tasks through one scheduler, as `assay run TASK…`: task directories, folders of them, or lists.
 * @param options.policy fields that replace those of the tasks' policies.
 * @param options.concurrency runs side by side; as many as the host has room for when absent.
 * @returns what became of each, counts per verdict, and pass@k.
 */
export async function runTasks(
  tasks: readonly string[],
  options: AssayOptions & {
    readonly policy?: Partial<Policy>
    readonly concurrency?: number
    readonly land?: string
    readonly sign?: string
    readonly onEnded?: (task: BatchTaskReport) => void
  } = {},
): Promise<BatchReport> {
  const { concurrency, land, sign, onEnded, onNote } = options
  const batch = {
    overrides: checkedPolicy(options.policy),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(land === undefined ? {} : { land }),
    ...(sign === undefined ? {} : { sign }),
  }
  return runBatch(await workshopOf(options), await findTasks(tasks), batch, {
    onBegun: () => undefined,
    onEvent: () => undefined,
    onEnded: (task) => onEnded?.(task),
    note: (line) => onNote?.(line),
    signal: signalOf(options),
    drain: new AbortController().signal,
  })
}

/**
 * Grades a change that exists already with the task's sealed checks; they are made and admitted if there are none yet.
 * @param change a diff file, a folder, a revision, or base itself.
 * @param options.policy fields that replace the task's policy: what holds a run holds a change.
 * @param options.fresh grades anew, whatever was graded before.
 */
export async function gradeTree(
  task: string,
  change: Change,
  options: AssayOptions & { readonly policy?: Partial<Policy>; readonly fresh?: boolean } = {},
): Promise<GradedChange> {
  const loaded = await loadTask(task, checkedPolicy(options.policy))
  const watch = {
    note: (line: string) => options.onNote?.(line),
    onTry: () => undefined,
    signal: signalOf(options),
  }
  return gradeChange(await workshopOf(options), loaded, change, watch, { fresh: options.fresh === true })
}

/**
 * Replays a recorded run. `decisions` needs no engine; `grades` runs the sealed checks again in containers.
 * @returns with `divergence` when something came out differently.
 */
export async function replay(
  fixture: string,
  options: AssayOptions & {
    readonly level?: ReplayLevel
    /** Whether the image that the fixture brings a Dockerfile for may be built here: as root, and with the network. */
    readonly buildImage?: boolean
  } = {},
): Promise<ReplayResult> {
  if (options.level !== 'grades') return replayFixtureDecisions(fixture)
  return replayFixtureGrades(fixture, await workshopOf(options), {
    note: (line) => options.onNote?.(line),
    onGraded: () => undefined,
    mayBuildImage: options.buildImage === true,
    signal: signalOf(options),
  })
}

async function workshopOf({ state, dockerHost, runtime, signal }: AssayOptions) {
  const options = {
    stateRoot: stateRoot(state, process.env),
    ...(dockerHost === undefined ? {} : { dockerHost }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(signal === undefined ? {} : { signal }),
  }
  await sweepLeftovers(options)
  return openWorkshop(options)
}

function signalOf({ signal }: AssayOptions): AbortSignal {
  return signal ?? new AbortController().signal
}
