import type { z } from 'zod'
import type { BoxLimits } from '../../specs/sandbox.ts'
import type { boxLimitsSchema } from '../../specs/task.ts'

const MB = 1024 * 1024

/** Of a product box (and a judge's): what a library's check needs, with room. */
export const PRODUCT_LIMITS: BoxLimits = {
  memoryBytes: 512 * MB,
  cpus: 1,
  processes: 128,
  fileSizeBytes: 64 * MB,
  openFiles: 1024,
  tmpBytes: 64 * MB,
  diskBytes: 256 * MB,
  inodes: 200_000,
  outputBytes: 4 * MB,
}

/** Of a worker's and an oracle's box: room for an agent and the project's own tests. */
export const WORKER_LIMITS: BoxLimits = {
  memoryBytes: 2048 * MB,
  cpus: 2,
  processes: 512,
  fileSizeBytes: 512 * MB,
  openFiles: 4096,
  tmpBytes: 512 * MB,
  diskBytes: 1024 * MB,
  inodes: 500_000,
  outputBytes: 16 * MB,
}

/** Defaults with what a task changes. */
export function boxLimits(defaults: BoxLimits, task: z.infer<typeof boxLimitsSchema> | undefined): BoxLimits {
  if (task === undefined) return defaults
  const mb = (value: number | undefined, otherwise: number) => (value === undefined ? otherwise : value * MB)
  return {
    memoryBytes: mb(task.memoryMb, defaults.memoryBytes),
    cpus: task.cpus ?? defaults.cpus,
    processes: task.processes ?? defaults.processes,
    fileSizeBytes: mb(task.fileSizeMb, defaults.fileSizeBytes),
    openFiles: task.openFiles ?? defaults.openFiles,
    tmpBytes: mb(task.tmpMb, defaults.tmpBytes),
    diskBytes: mb(task.diskMb, defaults.diskBytes),
    inodes: task.inodes ?? defaults.inodes,
    outputBytes: mb(task.outputMb, defaults.outputBytes),
  }
}
