import { passAtKs, type PassAtK } from './pass-at-k.ts'
import type { Report } from './report.ts'

/** What became of one task of a batch. */
export interface BatchTaskReport {
  readonly task: string
  readonly path: string
  readonly run: string
  readonly verdict: Report['verdict'] | 'failed'
  /** Why a run is held, or what ended it. */
  readonly why?: string
  readonly attempts: readonly { readonly attempt: number; readonly state: string }[]
  /** The commit that landed. */
  readonly landed?: string
  /** Milliseconds from the first event of its run to the last one. */
  readonly ms: number
  readonly exitCode: number
}

export interface BatchReport {
  readonly batch: string
  readonly tasks: readonly BatchTaskReport[]
  readonly counts: Readonly<
    Record<'verified' | 'refuted' | 'unverifiable' | 'failed' | 'unfinished' | 'landed', number>
  >
  /** Over tasks with attempts; empty where an attempt was stopped. */
  readonly passAtK: readonly PassAtK[]
  /** Why pass@k is not said, or of how many tasks it says nothing. */
  readonly passAtKNote?: string
  /** Of the tasks together, in milliseconds of wall time from the first to the last event. */
  readonly ms: number
  /** Unknown without a gateway that counts. */
  readonly costUsd: number | 'unknown'
  readonly exitCode: number
}

/** States of an attempt that somebody else ended, or that never came to one. */
const CUT_OFF = new Set([
  'stopped',
  'stopping',
  'idle',
  'working',
  'delivered',
  'opening',
  'grading',
  'hearing',
])

/** Counts what became of the tasks of a batch. @param ms wall time of the batch, all of its processes together. */
export function summaryOf(batch: string, tasks: readonly BatchTaskReport[], ms: number): BatchReport {
  const of = (verdict: BatchTaskReport['verdict']) => tasks.filter((task) => task.verdict === verdict).length
  const { passAtK, note } = passAtKOf(tasks)
  return {
    batch,
    tasks,
    counts: {
      verified: of('verified'),
      refuted: of('refuted'),
      unverifiable: of('unverifiable'),
      failed: of('failed'),
      unfinished: of('unfinished'),
      landed: tasks.filter(({ landed }) => landed !== undefined).length,
    },
    passAtK,
    ...(note === undefined ? {} : { passAtKNote: note }),
    ms,
    costUsd: 'unknown',
    exitCode: exitCodeOfBatch(tasks),
  }
}

/**
 * Tasks that failed have no attempts to count. Where an attempt was stopped nobody knows what it would have come to, and to
 * leave out its task would leave out just those that were won early: then nothing is said.
 */
function passAtKOf(tasks: readonly BatchTaskReport[]): {
  readonly passAtK: readonly PassAtK[]
  readonly note?: string
} {
  const tried = tasks.filter(({ attempts }) => attempts.length > 0)
  const cut = tried.filter(({ attempts }) => attempts.some(({ state }) => CUT_OFF.has(state))).length
  if (cut > 0) {
    const note = `pass@k is not said: of ${cut} of ${tasks.length} tasks an attempt was stopped or has not ended (race best or all lets each come to its end)`
    return { passAtK: [], note }
  }
  const passAtK = passAtKs(
    tried.map(({ attempts }) => ({
      n: attempts.length,
      c: attempts.filter(({ state }) => state === 'verified').length,
    })),
  )
  const without = tasks.length - tried.length
  return without === 0
    ? { passAtK }
    : { passAtK, note: `pass@k is over ${tried.length} of ${tasks.length} tasks: the others have no attempt` }
}

/** 0 when every task is verified, else the most urgent: 130 unfinished, 4 infrastructure, 2 input, 1 refuted, 3 held. */
function exitCodeOfBatch(tasks: readonly BatchTaskReport[]): number {
  const codes = new Set(tasks.map(({ exitCode }) => exitCode))
  return [70, 130, 4, 2, 1, 3].find((code) => codes.has(code)) ?? Math.max(0, ...codes)
}

/**
 * When a batch will be through, as far as one can say: the median of what ended, for what is left.
 * @param durationsMs of tasks that ended.
 * @param left tasks that did not.
 * @returns milliseconds; undefined before three ended.
 */
export function leftMs(
  durationsMs: readonly number[],
  left: number,
  concurrency: number,
): number | undefined {
  if (durationsMs.length < 3) return undefined
  const sorted = durationsMs.toSorted((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  return median * Math.ceil(left / concurrency)
}
