import type { CheckSet, Probe, RowRule } from './check-set.ts'
import type { Finding, RestoredPath } from './grade.ts'
import type { Observation } from './observation.ts'
import type { SpoiledCanaries } from './seal.ts'
import type { Surroundings, Varied } from './surroundings.ts'
import type { TreeId } from './digest.ts'

/** One row run once on one tree. */
export interface Observed {
  readonly row: string
  readonly observation: Observation
  /** What of its surroundings was not plain; absent where all was. */
  readonly surroundings?: Varied
}

/** What all runs of a list of probes on one tree gave. */
export interface Observations {
  readonly observed: readonly Observed[]
  readonly findings: readonly Finding[]
  /** Paths on which the tree that a suite ran on is not the tree that was asked for. */
  readonly restored?: readonly RestoredPath[]
  /** Of suites: what became of planted canaries, once for each run. */
  readonly canaries?: readonly CanarySeen[]
}

/** What one run says of a canary that was planted in a sealed file of tests. */
export interface CanarySeen {
  /** The path in the set. */
  readonly file: string
  /** Which of the file's tests and assertions it contradicts; absent where it asserts nothing of the product. */
  readonly model?: number
  /** `silent`: it did not run, or its end is unknown. */
  readonly state: 'failed' | 'passed' | 'silent'
}

/** What suites need beside the tree. */
export interface SuiteGround {
  /** Protected paths are as in this tree. */
  readonly base: TreeId
  /** Canaries come from it: the nonce seed of the seal. */
  readonly seed: string
  /** Canaries that are not planted, see `SealManifest`. */
  readonly spoiled?: SpoiledCanaries
}

export interface Judged {
  readonly row: string
  readonly pass: boolean
  readonly mismatch?: string
  /** A judge gave no answer: it threw, hung or did not load. Neither passed nor failed: the row is `missing`. */
  readonly unanswered?: true
}

/**
 * The port through which the oracle's admission and the engine run checks. `grader/` implements it.
 * Expected values go into `judge` only, never into `observe`.
 */
export interface Examiner {
  /** Digest of all code that could change an observation or its judgement. */
  readonly runner: string
  /**
   * Runs each probe `times` times on a tree, each in a fresh process, in an order shuffled by `orderSeed`. Runs are
   * numbered from `firstRun`, 0 when absent; `surroundings` says what each run of each probe has, plain when absent.
   * Exactly `probes.length * times` observations come back, or a finding says which are missing. The rows of one suite
   * are run together, each time once, and have the same surroundings.
   * @param request.ground needed when a probe is of a suite.
   * @throws Fault `infra/…` when the engine failed; `oracle/suite-…`, `config/suite-…` when a suite cannot be run at all.
   */
  observe(request: {
    readonly tree: TreeId
    readonly files: CheckSet['files']
    readonly probes: readonly Probe[]
    readonly times: number
    readonly firstRun?: number
    readonly surroundings?: (probe: Probe, run: number) => Surroundings
    readonly orderSeed: number
    readonly ground?: SuiteGround
    readonly signal: AbortSignal
  }): Promise<Observations>
  /**
   * Compares observations with what their rows expect: by the pure matcher, or in the judge box.
   * `base` is what base showed, for `asBase`. The answer has the same order as `observed`.
   */
  judge(request: {
    readonly rules: ReadonlyMap<string, RowRule>
    readonly files: CheckSet['files']
    readonly observed: readonly Observed[]
    readonly base: ReadonlyMap<string, Observation>
    readonly signal: AbortSignal
  }): Promise<readonly Judged[]>
}
