import type { CheckSet, Probe, RowRule, Trial } from '../specs/check-set.ts'
import type { TreeId } from '../specs/digest.ts'
import type { Examiner, Observations, Observed } from '../specs/examiner.ts'
import { expandCheckSet } from '../specs/expand.ts'
import type { Finding, RowResult } from '../specs/grade.ts'
import type { Observation } from '../specs/observation.ts'
import type { RowAdmission, SpoiledCanaries } from '../specs/seal.ts'
import { pinsFor, surroundingsOf, type Dimension, type Surroundings } from '../specs/surroundings.ts'
import type { Trees } from '../specs/trees.ts'
import { admitRow, type RowEvidence } from './pure/admit-row.ts'
import type { TrialEvidence } from './pure/admit-trials.ts'
import type { AdmissionEvidence } from './pure/decide-admission.ts'
import { statedLimits } from './pure/stated-limits.ts'
import { suspicionsOf } from './pure/suspicions.ts'
import type { CanariesSeen } from './pure/spoiled-canaries.ts'
import { settleCanaries, type Gathered } from './settle-canaries.ts'
import { tryPerturbed, tryTrivialProducts } from './try-answers.ts'
import { pinRows } from './pin-rows.ts'
import { pinSuites } from './pin-suites.ts'
import { addPins, type Pins, type RunRows } from './look-into.ts'
import type { Sameness } from './pure/pins.ts'
import { rowResultOf, runsByRow, type RowRuns, type TrivialProducts } from './pure/row-runs.ts'

export interface AdmissionPorts {
  readonly examiner: Examiner
  readonly trees: Pick<Trees, 'applyPatch' | 'smallFiles'>
  readonly trivialProducts: TrivialProducts
}

export interface AdmissionRequest {
  readonly set: CheckSet
  /** The request's text. */
  readonly request: string
  readonly base: TreeId
  /**
   * Runs of every row on base, at least 2: one run cannot disagree with itself. Not fewer than the runs of an output, or
   * that meets surroundings that base never met.
   */
  readonly runs: number
  /**
   * Runs of every valid row on each trial, as many as of an output; 0: trials are applied and not run. One that ought to be
   * refuted and is by its first, plain run has no others.
   */
  readonly trialRuns: number
  /** Every order in which rows run comes from it. */
  readonly orderSeed: number
  /** Of the seal to come: canaries of suites come from it, and the surroundings of every run, here and on outputs. */
  readonly nonceSeed: string
  readonly signal: AbortSignal
}

/**
 * Tries a check set on base, against trivial products, and against its author's trials. Decides nothing: that is
 * `decideAdmission`.
 *
 * Rows that run into their time limit on base run their further times last and together, so that a set with a few
 * slow ones does not wait for each of them.
 * @throws Fault `infra/…` when the engine failed, `oracle/…` when a judge or pattern of the set cannot be used.
 */
export function gatherEvidence(request: AdmissionRequest, ports: AdmissionPorts): Promise<AdmissionEvidence> {
  return settleCanaries((spoiled) => gatherWith(request, ports, spoiled))
}

async function gatherWith(
  request: AdmissionRequest,
  ports: AdmissionPorts,
  spoiled: SpoiledCanaries,
): Promise<Gathered> {
  const { probes, rules } = expandCheckSet(request.set.document)
  const texts = await ports.trees.smallFiles(request.base, TEXTS, request.signal)
  const limits = statedLimits(texts)
  const desk = new Desk(request, ports, rules, { limits, spoiled })
  const { observed, findings } = await desk.observeBase(probes)
  const runs = await desk.pin(request.base, probes, await desk.judge(rules, observed), 'observation')
  const untried = runs.map((row) => rowEvidence(row, request.runs, findings))
  const passedByTrivial = await tryTrivialProducts(untried, probes, ports.trivialProducts, desk.judgeEach)
  const known = untried.map((row) => ({
    ...row,
    ...passedByTrivial.get(row.rule.row),
    isJudgeSilent: row.rule.judge !== undefined && row.runs.length > 0 && !desk.answered.has(row.rule.row),
  }))
  const passedPerturbed = await tryPerturbed(known, desk.base, desk.judgeEach)
  const rows = known.map((row) => ({ ...row, ...passedPerturbed.get(row.rule.row) }))
  const sealable = rows.filter((row) => admitRow(row).reason !== 'unsealable-observation')
  const valid = rows.map(admitRow).filter(({ state }) => state === 'valid')
  const tried = new Map<string, TrialEvidence>()
  const { trials } = request.set.document
  // Right ones first: what they show of the surroundings holds for all the others.
  for (const trial of [...trials].sort(rightFirst))
    tried.set(trial.id, await desk.tryTrial(trial, probes, valid))
  const evidence = {
    document: request.set.document,
    rows: rows.map((row) => ({ ...row, ...desk.pinnedOf(row.rule.row) })),
    findings: findings.filter(({ row }) => row === undefined || !rules.some((rule) => rule.row === row)),
    suspicions: suspicionsOf(request.set, request.request, texts),
    limits,
    trials: trials.flatMap(({ id }) => tried.get(id) ?? []),
    baseObservations: Object.fromEntries(
      [...desk.base].filter(([row]) => sealable.some(({ rule }) => rule.row === row)),
    ),
  }
  return { evidence, canaries: desk.canaries }
}

/** What of base is read for a look at its texts, and at what it says of itself. */
const TEXTS = { fileBytes: 200_000, totalBytes: 20_000_000 }
function rightFirst(a: Trial, b: Trial): number {
  return Number(a.expect === 'refuted') - Number(b.expect === 'refuted')
}

/** A row as base left it, before anything else was tried on it. */
function rowEvidence(row: RowRuns, times: number, findings: readonly Finding[]): RowEvidence {
  const own = findings.filter((finding) => finding.row === row.rule.row)
  return { ...row, times, findings: own, passedByTrivial: [], isJudgeSilent: false }
}

function isFailure({ role, result }: RowResult): boolean {
  return result === 'fail' && (role === 'behaviour' || role === 'guard')
}

function passedCanaries(rows: readonly RowResult[]): readonly Finding[] {
  return rows
    .filter(({ role, runs }) => role === 'canary' && runs.some(({ pass }) => pass))
    .map(({ row }) => ({ kind: 'canary-passed', row, detail: `the canary ${row} was met` }))
}

/** What rows showed on a tree. */
interface SeenOnTree {
  readonly runs: readonly RowRuns[]
  readonly findings: readonly Finding[]
}

/** The same rows, in the same order, with their further runs. */
function continued(first: SeenOnTree, more: SeenOnTree): SeenOnTree {
  return {
    runs: first.runs.map((row, index) => ({
      ...row,
      runs: [...row.runs, ...(more.runs[index]?.runs ?? [])],
    })),
    findings: [...first.findings, ...more.findings],
  }
}

function joined(
  parts: readonly Pick<Observations, 'observed' | 'findings'>[],
): Pick<Observations, 'observed' | 'findings'> {
  return {
    observed: parts.flatMap(({ observed }) => observed),
    findings: parts.flatMap(({ findings }) => findings),
  }
}

/** One admission under way: what it knows of base grows as it goes. */
class Desk {
  readonly #request: AdmissionRequest
  readonly #ports: AdmissionPorts
  readonly #rules: ReadonlyMap<string, RowRule>
  /** What base showed first, by row. */
  readonly base = new Map<string, Observation>()
  /** Rows whose judge has answered at least once. */
  readonly answered = new Set<string>()
  /** Of suites, on base and on right trials. */
  readonly canaries: CanariesSeen[] = []
  readonly #rightTrees = new Set<TreeId>()
  readonly #spoiled: SpoiledCanaries
  readonly #pins: Pins = new Map()
  #rounds = 0

  /**
   * @param settings.limits dimensions that stay plain for every row.
   * @param settings.spoiled canaries of suites that are not planted.
   */
  constructor(
    request: AdmissionRequest,
    ports: AdmissionPorts,
    rules: readonly RowRule[],
    settings: { readonly limits: readonly Dimension[]; readonly spoiled: SpoiledCanaries },
  ) {
    const { limits, spoiled } = settings
    this.#spoiled = spoiled
    this.#request = request
    this.#ports = ports
    this.#rules = new Map(rules.map((rule) => [rule.row, rule]))
    if (limits.length > 0) for (const { row } of rules) addPins(this.#pins, row, limits)
  }

  async observeBase(probes: readonly Probe[]): Promise<Pick<Observations, 'observed' | 'findings'>> {
    const { base, runs } = this.#request
    const first = await this.#observe(base, probes, 1, 0)
    for (const { row, observation } of first.observed) {
      if (!this.base.has(row)) this.base.set(row, observation)
    }
    const further = await this.#observeSlowLast(base, probes, runs - 1, 1)
    return joined([first, further])
  }

  /** Judges observations, whoever showed them. */
  readonly judgeEach = (observed: readonly Observed[]) => this.#judged(observed)

  async judge(rules: readonly RowRule[], observed: readonly Observed[]): Promise<readonly RowRuns[]> {
    const known = observed.filter(({ row }) => this.#rules.has(row))
    return runsByRow(rules, known, await this.#judged(known))
  }

  async tryTrial(
    trial: Trial,
    probes: readonly Probe[],
    valid: readonly RowAdmission[],
  ): Promise<TrialEvidence> {
    const { set, base, trialRuns } = this.#request
    const outcome = await this.#ports.trees.applyPatch(base, set.files.get(trial.diff) ?? new Uint8Array())
    if (outcome.kind === 'refused') return { kind: 'does-not-apply', trial, why: outcome.reason }
    if (outcome.tree === base) return { kind: 'changes-nothing', trial }
    if (trialRuns < 1) return { kind: 'not-run', trial }
    if (trial.expect === 'verified') this.#rightTrees.add(outcome.tree)
    const wanted = new Set(valid.map(({ row }) => row))
    const tried = probes.filter(({ row }) => wanted.has(row))
    const rules = [...this.#rules.values()].filter(({ row }) => wanted.has(row))
    const run = async (times: number, firstRun: number) => {
      const seen = await this.#observeSlowLast(outcome.tree, tried, times, firstRun)
      return { findings: seen.findings, runs: await this.judge(rules, seen.observed) }
    }
    const isWrong = trial.expect === 'refuted'
    const first = await run(isWrong ? 1 : trialRuns, 0)
    // What is wrong as it stands needs no other surroundings to be told from a right change.
    const isTold = isWrong && first.runs.some((row) => isFailure(rowResultOf(row, 1)))
    const seen = isWrong && !isTold ? continued(first, await run(trialRuns - 1, 1)) : first
    const runs = isWrong ? seen.runs : await this.pin(outcome.tree, tried, seen.runs, 'verdict')
    const rows = runs.map((row) => rowResultOf(row, isTold ? 1 : trialRuns))
    return { kind: 'run', trial, rows, findings: [...seen.findings, ...passedCanaries(rows)] }
  }

  /** Rows that ran into their time limit on base come last and together, so that the rest does not wait for each of them. */
  async #observeSlowLast(
    tree: TreeId,
    probes: readonly Probe[],
    times: number,
    firstRun: number,
  ): Promise<Pick<Observations, 'observed' | 'findings'>> {
    const isSlow = ({ row }: Probe) => this.base.get(row)?.outcome === 'timeout'
    const fast = await this.#observe(
      tree,
      probes.filter((probe) => !isSlow(probe)),
      times,
      firstRun,
    )
    const slow = await this.#observe(tree, probes.filter(isSlow), times, firstRun)
    return joined([fast, slow])
  }

  /** For the evidence of a row: what its runs keep plain. */
  pinnedOf(row: string): { readonly pinned?: readonly Dimension[] } {
    const pinned = this.#pins.get(row)
    return pinned === undefined ? {} : { pinned }
  }

  /** {@link pinSuites}, and {@link pinRows} of all other rows, on a tree. */
  async pin(
    tree: TreeId,
    probes: readonly Probe[],
    runs: readonly RowRuns[],
    sameness: Sameness,
  ): Promise<readonly RowRuns[]> {
    const runRows: RunRows = async (rows, times, firstRun, surroundings) => {
      const asked = probes.filter(({ row }) => rows.has(row))
      const { observed } = await this.#observe(tree, asked, times, firstRun, surroundings)
      const rules = [...this.#rules.values()].filter(({ row }) => rows.has(row))
      return this.judge(rules, observed)
    }
    const suites = new Map(probes.flatMap(({ row, suite }) => (suite === undefined ? [] : [[row, suite.id]])))
    const alone = runs.filter(({ rule }) => !suites.has(rule.row))
    const pinned = [
      ...(await pinRows(alone, sameness, this.#pins, runRows)),
      ...(await pinSuites(runs, suites, sameness, this.#pins, runRows)),
    ]
    const byRow = new Map(pinned.map((row) => [row.rule.row, row]))
    return runs.map((row) => byRow.get(row.rule.row) ?? row)
  }

  #surroundings(probe: Probe, run: number): Surroundings {
    return surroundingsOf(this.#request.nonceSeed, probe, run, pinsFor(probe, this.#pins))
  }

  async #observe(
    tree: TreeId,
    probes: readonly Probe[],
    times: number,
    firstRun: number,
    surroundings = (probe: Probe, run: number) => this.#surroundings(probe, run),
  ) {
    if (probes.length === 0 || times < 1) return { observed: [], findings: [] }
    const { set, base, orderSeed, nonceSeed, signal } = this.#request
    this.#rounds += 1
    const seen = await this.#ports.examiner.observe({
      tree,
      files: set.files,
      probes,
      times,
      firstRun,
      surroundings,
      orderSeed: (orderSeed + this.#rounds) >>> 0,
      ground: { base, seed: nonceSeed, spoiled: this.#spoiled },
      signal,
    })
    const on = tree === base ? 'base' : this.#rightTrees.has(tree) ? 'right trial' : undefined
    if (on !== undefined && seen.canaries !== undefined) this.canaries.push({ on, canaries: seen.canaries })
    return seen
  }

  async #judged(observed: readonly Observed[]) {
    if (observed.length === 0) return []
    const { set, signal } = this.#request
    const judged = await this.#ports.examiner.judge({
      rules: this.#rules,
      files: set.files,
      observed,
      base: this.base,
      signal,
    })
    for (const { row, unanswered } of judged) if (unanswered !== true) this.answered.add(row)
    return judged
  }
}
