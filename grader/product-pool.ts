import type { CheckSet } from '../specs/check-set.ts'
import { Fault } from '../specs/fault.ts'
import type { Finding } from '../specs/grade.ts'
import type { Observation } from '../specs/observation.ts'
import type { RunningBox } from '../specs/sandbox.ts'
import { ProductBox, type BoxRun } from './product-box.ts'
import type { PlannedRun } from './pure/schedule.ts'

/** What one planned run gave. Without an observation the findings say why. */
export interface PoolRun {
  readonly planned: PlannedRun
  readonly observation?: Observation
  readonly findings: readonly Finding[]
}

/** How often a run is tried again in a fresh box when something other than its probe went wrong. */
const FRESH_BOXES = 3

/**
 * Warm boxes over one tree, worked side by side: each takes the next run as soon as it is free, and is replaced when a
 * run left it in a state in which another could not trust it.
 */
export class ProductPool {
  readonly #start: () => Promise<RunningBox>
  readonly #tree: string
  readonly #files: CheckSet['files']
  readonly #signal: AbortSignal
  readonly #ending = new Set<Promise<void>>()

  /** @param options.start starts a box with the tree at `tree`, read-only. */
  constructor(options: {
    readonly start: () => Promise<RunningBox>
    readonly tree: string
    readonly files: CheckSet['files']
    readonly signal: AbortSignal
  }) {
    this.#start = options.start
    this.#tree = options.tree
    this.#files = options.files
    this.#signal = options.signal
  }

  /** Runs everything in `boxes` boxes; all of them are gone when this returns or throws. */
  async runAll(plan: readonly PlannedRun[], boxes: number): Promise<readonly PoolRun[]> {
    const queue = [...plan]
    const done: PoolRun[] = []
    const failure = new AbortController()
    const lanes = Array.from({ length: Math.min(boxes, plan.length) }, () =>
      this.#lane(queue, done, failure.signal).catch((error: unknown) => {
        failure.abort()
        throw error
      }),
    )
    const settled = await Promise.allSettled(lanes)
    await Promise.all(this.#ending)
    for (const lane of settled) if (lane.status === 'rejected') throw lane.reason
    return done
  }

  async #lane(queue: PlannedRun[], done: PoolRun[], failed: AbortSignal): Promise<void> {
    const slot: Slot = { box: undefined }
    try {
      for (let next = queue.shift(); next !== undefined && !failed.aborted; next = queue.shift()) {
        done.push(await this.#runOne(slot, next))
      }
    } finally {
      this.#discard(slot)
    }
  }

  async #runOne(slot: Slot, planned: PlannedRun): Promise<PoolRun> {
    const findings: Finding[] = []
    let why = ''
    for (let attempt = 0; attempt < FRESH_BOXES; attempt += 1) {
      slot.box ??= new ProductBox(await this.#start(), this.#tree)
      const { isUsed } = slot.box
      const { reading, leftovers, reusable } = await slot.box.run(planned, this.#files, this.#signal)
      if (!reusable) this.#discard(slot)
      findings.push(...leftovers)
      if (reading.kind === 'garbled') return { planned, findings: [...findings, ...reading.findings] }
      if (reading.kind === 'observed' && !(isUsed && mayBeAnothers(reading))) {
        return { planned, observation: reading.observation, findings: [...findings, ...reading.findings] }
      }
      if (reading.kind === 'dirty') {
        findings.push({
          kind: 'leftover-files',
          detail: `a probe before ${planned.probe.row} left something in ${reading.what}`,
        })
        why = `${reading.what} was not empty`
      }
      if (reading.kind === 'not-started') ({ why } = reading)
    }
    throw new Fault('infra/host-not-started', `no host started for ${planned.probe.row}: ${why}`)
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

interface Slot {
  box: ProductBox | undefined
}

/** A limit of the whole box may have been reached with the help of an earlier probe; a fresh box tells. */
function mayBeAnothers(reading: Extract<BoxRun['reading'], { kind: 'observed' }>): boolean {
  return reading.observation.outcome === 'limit'
}
