import { USUAL_TIMEOUT_MS, type Probe } from '../../specs/check-set.ts'
import { PLAIN, type Surroundings } from '../../specs/surroundings.ts'
import type { SuiteFramework } from '../suites/framework.ts'
import { shuffled } from './shuffle.ts'

/** What another call of a scenario is given. */
export interface CallInput {
  readonly input?: unknown
}

/** One run of one probe, with the surroundings that it gets. */
export interface PlannedRun {
  readonly probe: Probe
  readonly run: number
  readonly surroundings: Surroundings
  /** What other calls in its process are given, where its surroundings have some. */
  readonly others?: readonly CallInput[]
  /** Of a run of a whole suite. */
  readonly suite?: PlannedSuite
}

/** What the runner of a suite is told. */
export interface PlannedSuite {
  readonly framework: SuiteFramework
  /** Sealed files with listed tests. */
  readonly files: readonly string[]
  readonly tests: readonly string[]
  /** See `SuitePlaces`. */
  readonly added: readonly string[]
  readonly nonce: string
}

/**
 * The runs of all probes from `firstRun` on, in an order that the seed decides; slow ones last and together, so that the
 * rest is soon known, and those of one user together, so that a box seldom goes from one to another.
 */
export function schedule(
  probes: readonly Probe[],
  times: number,
  orderSeed: number,
  firstRun = 0,
  surroundings: (probe: Probe, run: number) => Surroundings = () => PLAIN,
): readonly PlannedRun[] {
  const runs = probes.flatMap((probe) =>
    Array.from({ length: times }, (_, index) => {
      const run = firstRun + index
      return { probe, run, surroundings: surroundings(probe, run) }
    }),
  )
  const order = shuffled(runs, orderSeed)
  const isSlow = ({ probe }: PlannedRun) => probe.timeoutMs > USUAL_TIMEOUT_MS
  return [...byUser(order.filter((one) => !isSlow(one))), ...byUser(order.filter(isSlow))]
}

function byUser(runs: readonly PlannedRun[]): readonly PlannedRun[] {
  return [...Map.groupBy(runs, ({ surroundings }) => surroundings.user).values()].flat()
}
