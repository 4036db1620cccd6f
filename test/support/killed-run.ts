import { Journal } from '../../engine/journal/journal.ts'
import { loadTask } from '../../engine/task/load-task.ts'
import { runTask, resumeRun } from '../../engine/run/run-task.ts'
import { openWorkshop, sweepLeftovers } from '../../engine/workshop.ts'

/**
 * A run in a process of its own that kills itself: `STATE TASK|--resume RUN LAND when N`, where `when` is `before` or
 * `after` event N is written. Just before the next event is after the effect of the one before. It is no part of Assay:
 * the real journal is only watched.
 */
const [stateRoot = '', task = '', land = '', when = '', at = ''] = process.argv.slice(2)

const append = Object.getOwnPropertyDescriptor(Journal.prototype, 'append')?.value as Journal['append']
Object.assign(Journal.prototype, {
  append(this: Journal, ...args: Parameters<Journal['append']>) {
    const isAt = this.lines.length === Number(at)
    if (isAt && when === 'before') die()
    const line = append.apply(this, args)
    if (isAt && when === 'after') die()
    return line
  },
})

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal comes before the next statement is reached, or soon after: nothing may be done until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  throw new Error('it outlived SIGKILL')
}

const options = { stateRoot }
await sweepLeftovers(options)
const workshop = await openWorkshop(options)
const watch = { onEvent: () => undefined, note: () => undefined, signal: new AbortController().signal }
if (task.startsWith('run:')) await resumeRun(workshop, task.slice('run:'.length), watch)
else await runTask(workshop, await loadTask(task), watch, { landing: { land } })
