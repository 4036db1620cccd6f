import { writeFile } from 'node:fs/promises'
import { enableCompileCache } from 'node:module'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import PQueue from 'p-queue'

/**
 * Part of `npm run bench:grade`: grades many different trees with some boxes at once and prints the peak of this
 * process's resident memory in megabytes.
 */
// Both as the command does (engine/cli/main.ts): without the first the compiler that strips types stays in memory.
enableCompileCache()
setFlagsFromString('--optimize-for-size')
const { gradeChange } = await import('../engine/grade/grade-change.ts')
const { stateRoot } = await import('../engine/state-directory.ts')
const { loadTask } = await import('../engine/task/load-task.ts')
const { openWorkshop } = await import('../engine/workshop.ts')
const [, , folder = '', tasks = '50', boxes = '4'] = process.argv
const signal = new AbortController().signal
const quiet = { note: () => undefined, onTry: () => undefined, signal }
const workshop = await openWorkshop({ stateRoot: stateRoot(undefined, process.env) })
const loaded = await loadTask(folder)
// A grade of this size takes one box, so as many grades as boxes; never fewer than the machine would do.
const queue = new PQueue({ concurrency: Math.max(Number(boxes), availableParallelism()) })
let peak = 0
const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
await queue.addAll(
  Array.from({ length: Number(tasks) }, (_, n) => async () => {
    const diff = join(folder, `change-${n}.diff`)
    await writeFile(diff, diffOf(`a + b + ${process.pid} - ${process.pid} + ${n} - ${n}`))
    const { verdict } = await gradeChange(workshop, loaded, { diff }, quiet)
    if (verdict !== 'verified') throw new Error(`change ${n} is ${verdict}`)
  }),
)
clearInterval(timer)
console.log((peak / 1e6).toFixed(1))
process.exit()

function diffOf(after: string): string {
  return `diff --git a/index.js b/index.js\n--- a/index.js\n+++ b/index.js\n@@ -1 +1 @@\n-exports.add = (a, b) => a - b\n+exports.add = (a, b) => ${after}\n`
}
