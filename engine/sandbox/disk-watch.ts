import type Dockerode from 'dockerode'
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { delay } from './box-ending.ts'
import { engineCall } from './engine-call.ts'

/** A writable volume, and where the engine keeps it. */
export interface WatchedVolume {
  readonly name: string
  readonly mountpoint: string
}

/** Between two looks, at least; and looking takes at most a twentieth of the time. */
const LOCAL_INTERVAL_MS = 300
const ENGINE_INTERVAL_MS = 5_000
const LOOK_SHARE = 20

/**
 * Looks at the bytes on the box's writable volumes until `signal` is aborted, and calls `onOver` once when they are
 * together more than `limitBytes`. Where the volume's directory can be seen (same host, root) that is `du` on it;
 * elsewhere it is the engine's own account (`/system/df`), which is slow, so it is asked seldom.
 */
export async function watchDisk(
  docker: Dockerode,
  volumes: readonly WatchedVolume[],
  limitBytes: number,
  onOver: () => void,
  signal: AbortSignal,
): Promise<void> {
  const local = await allVisible(volumes)
  let pauseMs = local ? LOCAL_INTERVAL_MS : ENGINE_INTERVAL_MS
  for (;;) {
    await delay(pauseMs, signal, true)
    if (signal.aborted) return
    const startedMs = performance.now()
    // A look that fails is looked again: the box may just be going away.
    const usedBytes = await (local ? usedByDu(volumes, signal) : usedByEngine(docker, volumes, signal)).catch(
      () => 0,
    )
    if (usedBytes > limitBytes && !isAborted(signal)) {
      onOver()
      return
    }
    const lookedMs = performance.now() - startedMs
    pauseMs = Math.max(local ? LOCAL_INTERVAL_MS : ENGINE_INTERVAL_MS, lookedMs * LOOK_SHARE)
  }
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

async function allVisible(volumes: readonly WatchedVolume[]): Promise<boolean> {
  try {
    await Promise.all(volumes.map(({ mountpoint }) => access(mountpoint)))
    return true
  } catch {
    return false
  }
}

/** Allocated bytes, links and mount points not followed, hard links counted once. */
function usedByDu(volumes: readonly WatchedVolume[], signal: AbortSignal): Promise<number> {
  const paths = volumes.map(({ mountpoint }) => mountpoint)
  return new Promise((resolve, reject) => {
    execFile('du', ['-skx', '--', ...paths], { signal, maxBuffer: 1 << 20 }, (error, stdout) => {
      // Files that vanish while du runs make it exit 1, with a sum all the same.
      const sums = stdout.match(/^\d+/gm)
      if (sums === null) reject(error ?? new Error('du printed no sum'))
      else resolve(sums.reduce((sum, kilobytes) => sum + Number(kilobytes) * 1024, 0))
    })
  })
}

async function usedByEngine(
  docker: Dockerode,
  volumes: readonly WatchedVolume[],
  signal: AbortSignal,
): Promise<number> {
  const usage = (await engineCall('system.df', () => docker.df(), { signal })) as {
    Volumes?: { Name: string; UsageData?: { Size: number } | null }[] | null
  }
  const names = new Set(volumes.map(({ name }) => name))
  return (usage.Volumes ?? [])
    .filter(({ Name }) => names.has(Name))
    .reduce((sum, { UsageData }) => sum + Math.max(0, UsageData?.Size ?? 0), 0)
}
