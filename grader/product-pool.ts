import type { CheckSet } from '../specs/check-set.ts'
import { Fault } from '../specs/fault.ts'
import type { Finding } from '../specs/grade.ts'
import type { Observation } from '../specs/observation.ts'
import type { RunningBox } from '../specs/sandbox.ts'
import { ProductBox, type BoxRun, type ProductBoxOptions } from './product-box.ts'
import { runtimeOf } from './pure/probe-job.ts'
import type { PlannedRun } from './pure/schedule.ts'

/** What one planned run gave, with the surroundings that it really had. Without an observation the findings say why. */
export interface PoolRun {
  readonly planned: PlannedRun
  readonly observation?: Observation
  readonly findings: readonly Finding[]
}

/** What a whole plan gave. The findings are of no run in particular. */
export interface PoolRuns {
  readonly runs: readonly PoolRun[]
  readonly findings: readonly Finding[]
}

/** How often a run is tried again in a fresh box when something other than its probe went wrong. */
const FRESH_BOXES = 3

/**
 * Warm boxes over one tree, worked side by side: each takes the next run as soon as it is free, and is replaced when a
 * run left it in a state in which another could not trust it (D1, D15).
 */
export class ProductPool {
  readonly #options: PoolOptions
  readonly #findings: Finding[] = []
  readonly #ending = new Set<Promise<void>>()
  /** Boxes so far: each runs as another user. */
  #boxes = 0

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Runs everything in at most `boxes` boxes; nothing runs in them any more when this returns, see {@link gone}. */
  async runAll(plan: readonly PlannedRun[], boxes: number): Promise<PoolRuns> {
    const queue = [...plan]
    const runs: PoolRun[] = []
    const failure = new AbortController()
    const lanes = Array.from({ length: Math.min(boxes, plan.length) }, () =>
      this.#lane(queue, runs, failure.signal).catch((error: unknown) => {
        failure.abort()
        throw error
      }),
    )
    const settled = await Promise.allSettled(lanes)
    for (const one of settled) if (one.status === 'rejected') throw one.reason
    return { runs, findings: this.#findings }
  }

  /** Until every box is gone. Nothing runs in them any more, so nobody has to wait for it but who needs their volume. */
  async gone(): Promise<void> {
    await Promise.all(this.#ending)
  }

  async #lane(queue: PlannedRun[], runs: PoolRun[], failed: AbortSignal): Promise<void> {
    const slot: Slot = { box: undefined }
    try {
      for (let next = queue.shift(); next !== undefined && !failed.aborted; next = queue.shift()) {
        runs.push(await this.#runOne(slot, next))
      }
      if (slot.box !== undefined) this.#findings.push(...(await slot.box.inspect(this.#options.signal)))
    } finally {
      this.#discard(slot)
    }
  }

  async #runOne(slot: Slot, asked: PlannedRun): Promise<PoolRun> {
    const { start, files, signal } = this.#options
    let why = ''
    for (let attempt = 0; attempt < FRESH_BOXES; attempt += 1) {
      slot.box ??= this.#boxOf(await start())
      const { isUsed } = slot.box
      const { reading, surroundings, isReusable } = await slot.box.run(asked, files, signal)
      const planned = { ...asked, surroundings }
      const isDoubtful = reading.kind === 'observed' && isUsed && mayBeAnothers(reading)
      if (!isReusable || isDoubtful) this.#discard(slot)
      if (reading.kind === 'garbled') return { planned, findings: reading.findings }
      if (reading.kind === 'observed' && !isDoubtful) {
        return { planned, observation: reading.observation, findings: reading.findings }
      }
      if (reading.kind === 'not-started') {
        // In a box that was used, a product may have had to do with it.
        if (reading.isMissing && !isUsed) throw runtimeMissing(planned)
        ;({ why } = reading)
      }
    }
    throw new Fault('infra/host-not-started', `no host started for ${asked.probe.row}: ${why}`)
  }

  #boxOf(box: RunningBox): ProductBox {
    const userSeed = this.#options.userSeed + this.#boxes
    this.#boxes += 1
    return new ProductBox(box, { ...this.#options, userSeed })
  }

  #discard(slot: Slot): void {
    const { box } = slot
    slot.box = undefined
    if (box === undefined) return
    const ending = box.destroy()
    this.#ending.add(ending)
    // Its failure is thrown where all are awaited.
    ending.catch(() => undefined)
  }
}

/** Of its boxes the first has the seed that is given; each further one begins with the next user. */
export interface PoolOptions extends ProductBoxOptions {
  /** Starts a box with the tree and the folder for copies of it. */
  readonly start: () => Promise<RunningBox>
  readonly files: CheckSet['files']
  readonly signal: AbortSignal
}

interface Slot {
  box: ProductBox | undefined
}

function runtimeMissing({ probe, suite }: PlannedRun): Fault {
  const runtime = suite?.framework.runtime ?? runtimeOf(probe)
  const program = { node: 'no node', python: 'no python3', any: 'neither node nor python3' }[runtime]
  return new Fault('config/image-runtime', `the image has ${program}, which ${probe.row} needs`)
}

/**
 * A limit of the whole box may have been reached with the help of an earlier probe; a fresh box tells. Where something was
 * found it is not asked: what was found must not be lost by running into a limit afterwards.
 */
function mayBeAnothers({ observation, findings }: Extract<BoxRun['reading'], { kind: 'observed' }>): boolean {
  return findings.length === 0 && observation.outcome === 'limit' && observation.limit !== 'output'
}
