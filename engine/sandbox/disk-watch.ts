import type Dockerode from 'dockerode'
import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import type { BoxLimits } from '../../specs/sandbox.ts'
import { delay } from './box-ending.ts'
import { engineCall } from './engine-call.ts'

/** A writable volume, and where the engine keeps it. */
export interface WatchedVolume {
  readonly name: string
  readonly mountpoint: string
}

/** Between two looks, at least. */
const LOCAL_INTERVAL_MS = 300
const ENGINE_INTERVAL_MS = 5_000
/** A look that takes long is followed by a pause so many times as long, up to a pause that a box may not outgrow. */
const PAUSE_SHARE = 5
const LONGEST_PAUSE_MS = 5_000

/**
 * Looks at what is on the writable volumes of one box: allocated bytes and inodes, all volumes together (D11). Where
 * the volumes' directories can be seen (same host, root) that is `du` on them; elsewhere it is the engine's own account
 * (`/system/df`), which knows bytes only and is slow, so it is asked seldom.
 */
export class DiskWatch {
  readonly #docker: Dockerode
  readonly #volumes: readonly WatchedVolume[]
  readonly #limits: Pick<BoxLimits, 'diskBytes' | 'inodes'>
  readonly #isLocal: Promise<boolean>

  constructor(
    docker: Dockerode,
    volumes: readonly WatchedVolume[],
    limits: Pick<BoxLimits, 'diskBytes' | 'inodes'>,
  ) {
    this.#docker = docker
    this.#volumes = volumes
    this.#limits = limits
    this.#isLocal = volumes.length === 0 ? Promise.resolve(true) : allVisible(volumes)
  }

  /** Looks again and again until `signal` is aborted, and calls `onOver` once when the box is over a limit. */
  async watch(onOver: () => void, signal: AbortSignal): Promise<void> {
    if (this.#volumes.length === 0) return
    const intervalMs = (await this.#isLocal) ? LOCAL_INTERVAL_MS : ENGINE_INTERVAL_MS
    let pauseMs = intervalMs
    for (;;) {
      await delay(pauseMs, signal, true)
      if (signal.aborted) return
      const startedMs = performance.now()
      if ((await this.#look(signal)) && !isAborted(signal)) {
        onOver()
        return
      }
      const restMs = Math.min((performance.now() - startedMs) * PAUSE_SHARE, LONGEST_PAUSE_MS)
      pauseMs = Math.max(intervalMs, restMs)
    }
  }

  /** One look now, where that is quick: a program that ended, or was ended, may have gone over since the last one. */
  async isOverNow(signal: AbortSignal): Promise<boolean> {
    return this.#volumes.length > 0 && (await this.#isLocal) && (await this.#look(signal))
  }

  /** A look that fails is looked again: the box may just be going away. */
  async #look(signal: AbortSignal): Promise<boolean> {
    try {
      return (await this.#isLocal)
        ? await isOverByDu(this.#volumes, this.#limits, signal)
        : (await usedByEngine(this.#docker, this.#volumes, signal)) > this.#limits.diskBytes
    } catch {
      return false
    }
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

async function isOverByDu(
  volumes: readonly WatchedVolume[],
  limits: Pick<BoxLimits, 'diskBytes' | 'inodes'>,
  signal: AbortSignal,
): Promise<boolean> {
  const usedKilobytes = await sumOfDu(['-skx'], volumes, signal)
  if (usedKilobytes * 1024 > limits.diskBytes) return true
  return (await sumOfDu(['-sx', '--inodes'], volumes, signal)) > limits.inodes
}

/** Links and mount points are not followed, hard links are counted once. */
function sumOfDu(
  options: readonly string[],
  volumes: readonly WatchedVolume[],
  signal: AbortSignal,
): Promise<number> {
  const paths = volumes.map(({ mountpoint }) => mountpoint)
  return new Promise((resolve, reject) => {
    execFile('du', [...options, '--', ...paths], { signal, maxBuffer: 1 << 20 }, (error, stdout) => {
      // Files that vanish while du runs make it exit 1, with a sum all the same.
      const sums = stdout.match(/^\d+/gm)
      if (sums === null) reject(error ?? new Error('du printed no sum'))
      else resolve(sums.reduce((sum, each) => sum + Number(each), 0))
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
