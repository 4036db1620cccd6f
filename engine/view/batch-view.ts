import type { Batch } from '../../specs/batch.ts'
import type { JournalLine } from '../../specs/journal.ts'
import { leftMs, type BatchReport, type BatchTaskReport } from '../pure/batch-summary.ts'
import type { BatchRun } from '../batch/batch-task.ts'
import { printable } from '../pure/printable.ts'
import type { RunState } from '../state.ts'
import { count } from './count.ts'
import { eventText } from './event-text.ts'
import type { LiveView } from './live-view.ts'
import type { Paint } from './paint.ts'

/** Shows a batch as it goes: a line for each task that ends, and one for all that are under way. */
export interface BatchView {
  readonly begun: (batch: Batch) => void
  readonly event: (about: BatchRun, line: JournalLine, state: RunState) => void
  readonly ended: (task: BatchTaskReport) => void
}

/** Events of a run that are worth a line where many runs are shown. */
const LINES: ReadonlySet<string> = new Set([
  'run-started',
  'sealed',
  'not-sealed',
  'compared',
  'merge-conflict',
  'landed',
  'target-moved',
])

/** @param nowMs a monotonic clock in milliseconds. */
export function batchView(view: LiveView, brush: Paint, nowMs: () => number): BatchView {
  const began = nowMs()
  const durationsMs: number[] = []
  const states = new Map<string, { readonly task: string; readonly state: RunState }>()
  let [total, ended, concurrency] = [0, 0, 1]
  return {
    begun(batch) {
      total = batch.tasks.length
      concurrency = batch.concurrency
      view.note(`${batch.id}: ${count(total, 'task')}, ${batch.concurrency} at once`)
    },
    event({ task, run }, { body }, state) {
      states.set(run, { task, state })
      const text = LINES.has(body.type) ? eventText(body, brush) : undefined
      if (text !== undefined) view.note(`${printable(task)}: ${text}`)
      if (state.end !== undefined) states.delete(run)
      view.status([...states.values()].map((one) => `${printable(one.task)}: ${attemptsText(one.state)}`))
    },
    ended(task) {
      states.delete(task.run)
      ended += 1
      if (task.verdict !== 'unfinished' && task.verdict !== 'failed') durationsMs.push(task.ms)
      const left = leftMs(durationsMs, total - ended, concurrency)
      const about = left === undefined || ended === total ? '' : `, about ${duration(left)} left`
      view.note(
        `${ended}/${total}  ${taskLine(task, brush)}${brush('dim', `  (${duration(nowMs() - began)}${about})`)}`,
      )
    },
  }
}

function attemptsText({ attempts, seal }: RunState): string {
  const busy = attempts.map(({ attempt, round, phase }) => {
    const score = 'grade' in phase ? ` ${phase.grade.failed}/${phase.grade.of}` : ''
    return `${attempt} ${phase.is}${round > 1 ? ` r${round}` : ''}${score}`
  })
  return [...(seal.is === 'sealing' ? ['sealing'] : []), ...busy].join(', ')
}

const COLOURS = {
  verified: 'green',
  refuted: 'red',
  unverifiable: 'yellow',
  unfinished: 'yellow',
  failed: 'red',
} as const

function taskLine({ task, verdict, why, attempts, landed, ms }: BatchTaskReport, brush: Paint): string {
  const states = attempts.map(({ state }) => state).join(', ')
  const where = landed === undefined ? '' : `, landed ${landed.slice(0, 12)}`
  const because = why === undefined ? '' : `: ${printable(why, 200)}`
  return `${printable(task).padEnd(28)} ${brush(COLOURS[verdict], verdict.padEnd(12))} ${duration(ms).padStart(7)}  ${states}${where}${because}`
}

/** What became of a batch, as text for a terminal. */
export function batchText(
  { batch, tasks, counts, passAtK, passAtKNote, ms, costUsd }: BatchReport,
  brush: Paint,
): string {
  const verdicts = Object.entries(counts)
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${n} ${what}`)
  const estimates = passAtK.map(({ k, estimate, interval }) => {
    const range = interval === undefined ? '' : ` [${percent(interval[0])}, ${percent(interval[1])}]`
    return `pass@${k} ${percent(estimate)}${range}`
  })
  return [
    ...tasks.map((task) => taskLine(task, brush)),
    '',
    `${brush('bold', batch)}  ${count(tasks.length, 'task')}: ${verdicts.join(', ')}`,
    ...(estimates.length === 0 ? [] : [`${estimates.join(', ')}  (95 % intervals over tasks)`]),
    ...(passAtKNote === undefined ? [] : [brush('dim', passAtKNote)]),
    `time ${duration(ms)}, cost ${costUsd === 'unknown' ? 'unknown' : `${costUsd.toFixed(2)} USD`}`,
  ].join('\n')
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
