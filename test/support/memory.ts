import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from './assay.ts'

const MIB = 2 ** 20
const LOOK_MS = 50

/** The most memory that a command's own process had at once, in MiB, as the kernel counted it; looked at until it ends. */
export async function peakMebibytes({ child, ended }: Running): Promise<number> {
  let peak = 0
  const over = { now: false }
  const end = ended.then(() => (over.now = true))
  while (!over.now) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0))
    await Promise.race([end, sleep(LOOK_MS)])
  }
  return (peak * 1024) / MIB
}
