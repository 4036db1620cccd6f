import type { CheckSet, Probe, RowRule, Trial } from '../specs/check-set.ts'
import type { TreeId } from '../specs/digest.ts'
import type { Examiner, Observed } from '../specs/examiner.ts'
import { expandCheckSet } from '../specs/expand.ts'
import type { Finding, RowResult } from '../specs/grade.ts'
import type { Observation } from '../specs/observation.ts'
import type { RowAdmission } from '../specs/seal.ts'
import type { Trees } from '../specs/trees.ts'
import { admitRow, type RowEvidence } from './pure/admit-row.ts'
import type { TrialEvidence } from './pure/admit-trials.ts'
import type { AdmissionEvidence } from './pure/decide-admission.ts'
import { rowResultOf, runsByRow, type RowRuns, type TrivialProducts } from './pure/row-runs.ts'

export interface AdmissionPorts {
  readonly examiner: Examiner
  readonly trees: Pick<Trees, 'applyPatch'>
  readonly trivialProducts: TrivialProducts
}

export interface AdmissionRequest {
  readonly set: CheckSet
  readonly base: TreeId
  /**
   * Runs of every row on base, at least 2: one run cannot disagree with itself. Not fewer than the runs of an output, or
   * that meets surroundings that base never met.
   */
  readonly runs: number
  /** Runs of every valid row on each trial, as many as of an output; 0: trials are applied and not run. */
  readonly trialRuns: number
  /** Every order in which rows run comes from it. */
  readonly orderSeed: number
  /** Of the seal to come: canaries of suites come from it. */
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
export async function gatherEvidence(
  request: AdmissionRequest,
  ports: AdmissionPorts,
): Promise<AdmissionEvidence> {
  const { probes, rules } = expandCheckSet(request.set.document)
  const desk = new Desk(request, ports, rules)
  const { observed, findings } = await desk.observeBase(probes)
  const runs = await desk.judge(rules, observed)
  const untried = runs.map((row) => rowEvidence(row, request.runs, findings))
  const passedByTrivial = await desk.tryTrivialProducts(untried, probes)
  const rows = untried.map((row) => ({
    ...row,
    passedByTrivial: passedByTrivial.get(row.rule.row) ?? [],
    isJudgeSilent: row.rule.judge !== undefined && row.runs.length > 0 && !desk.answered.has(row.rule.row),
  }))
  const sealable = rows.filter((row) => admitRow(row).reason !== 'unsealable-observation')
  const valid = rows.map(admitRow).filter(({ state }) => state === 'valid')
  const trials: TrialEvidence[] = []
  for (const trial of request.set.document.trials) {
    trials.push(await desk.tryTrial(trial, probes, valid))
  }
  return {
    document: request.set.document,
    rows,
    findings: findings.filter(({ row }) => row === undefined || !rules.some((rule) => rule.row === row)),
    trials,
    baseObservations: Object.fromEntries(
      [...desk.base].filter(([row]) => sealable.some(({ rule }) => rule.row === row)),
    ),
  }
}

/** A row as base left it, before anything else was tried on it. */
function rowEvidence(row: RowRuns, times: number, findings: readonly Finding[]): RowEvidence {
  const own = findings.filter((finding) => finding.row === row.rule.row)
  return { ...row, times, findings: own, passedByTrivial: [], isJudgeSilent: false }
}

function passedCanaries(rows: readonly RowResult[]): readonly Finding[] {
  return rows
    .filter(({ role, runs }) => role === 'canary' && runs.some(({ pass }) => pass))
    .map(({ row }) => ({ kind: 'canary-passed', row, detail: `the canary ${row} was met` }))
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
  #rounds = 0

  constructor(request: AdmissionRequest, ports: AdmissionPorts, rules: readonly RowRule[]) {
    this.#request = request
    this.#ports = ports
    this.#rules = new Map(rules.map((rule) => [rule.row, rule]))
  }

  async observeBase(
    probes: readonly Probe[],
  ): Promise<{ observed: readonly Observed[]; findings: readonly Finding[] }> {
    const { base, runs } = this.#request
    const first = await this.#observe(base, probes, 1, 0)
    for (const { row, observation } of first.observed) {
      if (!this.base.has(row)) this.base.set(row, observation)
    }
    const fast = await this.#observe(
      base,
      probes.filter((probe) => !this.#isSlow(probe)),
      runs - 1,
      1,
    )
    const slow = await this.#observe(
      base,
      probes.filter((probe) => this.#isSlow(probe)),
      runs - 1,
      1,
    )
    const all = [first, fast, slow]
    return {
      observed: all.flatMap(({ observed }) => observed),
      findings: all.flatMap(({ findings }) => findings),
    }
  }

  async judge(rules: readonly RowRule[], observed: readonly Observed[]): Promise<readonly RowRuns[]> {
    const known = observed.filter(({ row }) => this.#rules.has(row))
    return runsByRow(rules, known, await this.#judged(known))
  }

  /** By row, the names of the trivial products that pass it. Only rows for which it matters are tried. */
  async tryTrivialProducts(
    rows: readonly RowEvidence[],
    probes: readonly Probe[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const probeOf = new Map(probes.map((probe) => [probe.row, probe]))
    const tries = rows
      .filter(({ rule }) => rule.role === 'behaviour' || rule.role === 'canary')
      .filter((row) => admitRow(row).state === 'valid')
      .flatMap(({ rule: { row } }) => {
        const probe = probeOf.get(row)
        const products = probe === undefined ? [] : this.#ports.trivialProducts(probe)
        return products.map(({ name, observation }) => ({ row, name, observation }))
      })
    const judged = await this.#judged(tries.map(({ row, observation }) => ({ row, observation })))
    const passed = tries.filter((_, index) => judged[index]?.pass === true)
    return new Map(
      [...Map.groupBy(passed, ({ row }) => row)].map(([row, some]) => [row, some.map(({ name }) => name)]),
    )
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
    const wanted = new Set(valid.map(({ row }) => row))
    const tried = probes.filter(({ row }) => wanted.has(row))
    const fast = await this.#observe(
      outcome.tree,
      tried.filter((probe) => !this.#isSlow(probe)),
      trialRuns,
      0,
    )
    const slow = await this.#observe(
      outcome.tree,
      tried.filter((probe) => this.#isSlow(probe)),
      trialRuns,
      0,
    )
    const rules = [...this.#rules.values()].filter(({ row }) => wanted.has(row))
    const runs = await this.judge(rules, [...fast.observed, ...slow.observed])
    const rows = runs.map((row) => rowResultOf(row, trialRuns))
    return {
      kind: 'run',
      trial,
      rows,
      findings: [...fast.findings, ...slow.findings, ...passedCanaries(rows)],
    }
  }

  #isSlow({ row }: Probe): boolean {
    return this.base.get(row)?.outcome === 'timeout'
  }

  async #observe(tree: TreeId, probes: readonly Probe[], times: number, firstRun: number) {
    if (probes.length === 0 || times < 1) return { observed: [], findings: [] }
    const { set, base, orderSeed, nonceSeed, signal } = this.#request
    this.#rounds += 1
    return await this.#ports.examiner.observe({
      tree,
      files: set.files,
      probes,
      times,
      firstRun,
      orderSeed: (orderSeed + this.#rounds) >>> 0,
      ground: { base, seed: nonceSeed },
      signal,
    })
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
