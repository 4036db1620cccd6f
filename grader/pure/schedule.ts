import type { Probe } from '../../specs/check-set.ts'
import type { SuiteFramework } from '../suites/framework.ts'
import { seededRandom, shuffled } from './shuffle.ts'

/** One run of one probe, with the surroundings that it gets. */
export interface PlannedRun {
  readonly probe: Probe
  readonly run: number
  readonly surroundings: Surroundings
  /** Of a run of a whole suite. */
  readonly suite?: PlannedSuite
}

/** What the runner of a suite is told. */
export interface PlannedSuite {
  readonly framework: SuiteFramework
  /** Sealed files with listed tests. */
  readonly files: readonly string[]
  readonly tests: readonly string[]
  readonly nonce: string
}

/** What a user's machine might differ in, and a product should not care about unless it is asked to. */
export interface Surroundings {
  readonly timeZone: string
  readonly locale: string
}

/** The default time of a check; one that allows itself more is slow by nature. */
const USUAL_TIMEOUT_MS = 10_000

const PLAIN: Surroundings = { timeZone: 'UTC', locale: 'C.UTF-8' }
const TIME_ZONES = ['America/St_Johns', 'Asia/Kathmandu', 'Pacific/Auckland', 'America/Los_Angeles']
const LOCALES = ['de_DE.UTF-8', 'fr_FR.UTF-8', 'ja_JP.UTF-8', 'pt_BR.UTF-8']

/** The runs of all probes from `firstRun` on, in an order that the seed decides; slow ones last and together, so that the rest is soon known. */
export function schedule(
  probes: readonly Probe[],
  times: number,
  orderSeed: number,
  firstRun = 0,
): readonly PlannedRun[] {
  const runs = probes.flatMap((probe) =>
    Array.from({ length: times }, (_, index) => {
      const run = firstRun + index
      return { probe, run, surroundings: surroundingsOf(probe, run) }
    }),
  )
  const order = shuffled(runs, orderSeed)
  const isSlow = ({ probe }: PlannedRun) => probe.timeoutMs > USUAL_TIMEOUT_MS
  return [...order.filter((one) => !isSlow(one)), ...order.filter(isSlow)]
}

/**
 * The first run of a row is in plain surroundings, every later one (D18) in others (D19) that the row's sealed seed decides: a
 * product that is right in one time zone or language only passes in some runs and fails in others.
 */
export function surroundingsOf(probe: Pick<Probe, 'seed' | 'row'>, run: number): Surroundings {
  if (run === 0) return PLAIN
  const random = seededRandom(probe.seed + run * 7919)
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] as string
  return { timeZone: pick(TIME_ZONES), locale: pick(LOCALES) }
}
