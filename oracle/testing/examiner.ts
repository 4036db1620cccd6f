import type { CheckSet, Probe, RowRule } from '../../specs/check-set.ts'
import { digestOf, type TreeId } from '../../specs/digest.ts'
import type { Examiner, Judged, Observed } from '../../specs/examiner.ts'
import type { Expectation } from '../../specs/expectation.ts'
import type { Finding, Verdict } from '../../specs/grade.ts'
import type { Json } from '../../specs/json.ts'
import type { Observation } from '../../specs/observation.ts'
import { PLAIN, variedIn, type Varied } from '../../specs/surroundings.ts'
import type { PatchOutcome, Trees } from '../../specs/trees.ts'
import type { VerdictsOf } from '../pure/admit-trials.ts'
import type { TrivialProducts } from '../pure/row-runs.ts'

/** A product for tests: what it shows for a row in its first, second, … run (from 1), in surroundings. */
export type Product = (probe: Probe, run: number, varied: Varied) => Observation

export const returned = (value: Json): Observation => ({ outcome: 'returned', value, steps: [] })
export const threw = (name: string, message: string, more: { readonly code?: string } = {}): Observation => ({
  outcome: 'threw',
  error: { $t: 'error', name, message, ...more },
  steps: [],
})
export const timeout: Observation = { outcome: 'timeout', steps: [] }

/** A tree for each product, by name. */
export function treeOf(product: string): TreeId {
  return digestOf(product).slice('sha256:'.length, 'sha256:'.length + 40)
}

/** A patch is the name of the product that base becomes. */
export function treesOf(
  products: Readonly<Record<string, Product>>,
): Pick<Trees, 'applyPatch' | 'smallFiles'> {
  return {
    smallFiles: () => Promise.resolve(new Map()),
    applyPatch: (_base, patch): Promise<PatchOutcome> => {
      const name = new TextDecoder().decode(patch)
      return Promise.resolve(
        Object.hasOwn(products, name)
          ? { kind: 'applied', tree: treeOf(name) }
          : { kind: 'refused', reason: `error: ${name}: No such file` },
      )
    },
  }
}

/** One call of `observe`, as the oracle made it. */
export interface ObserveCall {
  readonly tree: TreeId
  readonly rows: readonly string[]
  readonly times: number
  readonly firstRun: number
}

/** Whether an observation meets an expectation; `base`: what base showed in the same row. */
export type Meets = (expect: Expectation, observation: Observation, base: Observation | undefined) => boolean

/** Equality and no more, since the oracle must not know the grader's matcher. `test/` tries admission with that. */
export const meetsForTests: Meets = (expect, observation, base) => {
  if ('asBase' in expect) return JSON.stringify(observation) === JSON.stringify(base)
  if ('outcome' in expect) return observation.outcome === expect.outcome
  if (!('returns' in expect) || observation.outcome !== 'returned') return false
  return JSON.stringify(observation.value) === JSON.stringify(expect.returns)
}

/** An examiner in memory: products are functions, and judges are functions by path. */
export class ExaminerInMemory implements Examiner {
  readonly runner = digestOf('examiner in memory')
  readonly calls: ObserveCall[] = []
  /** Everything that was shown, in that order. */
  readonly observed: Observed[] = []
  /** By path; `undefined` for what a judge does not answer. */
  readonly judges: Record<string, (observation: Observation) => boolean | undefined> = {}
  findings: readonly Finding[] = []
  readonly #products: ReadonlyMap<TreeId, Product>

  readonly #meets: Meets

  constructor(products: Readonly<Record<string, Product>>, meets = meetsForTests) {
    this.#meets = meets
    this.#products = new Map(Object.entries(products).map(([name, product]) => [treeOf(name), product]))
  }

  observe({
    tree,
    probes,
    times,
    firstRun = 0,
    surroundings,
  }: Parameters<Examiner['observe']>[0]): ReturnType<Examiner['observe']> {
    this.calls.push({ tree, rows: probes.map(({ row }) => row), times, firstRun })
    const product = this.#products.get(tree)
    if (product === undefined) throw new Error(`no product for tree ${tree}`)
    const observed = Array.from({ length: times }, (_, index) => firstRun + index + 1).flatMap((run) =>
      probes.map((probe): Observed => {
        const varied = variedIn(surroundings?.(probe, run - 1) ?? PLAIN)
        return {
          row: probe.row,
          observation: product(probe, run, varied),
          ...(Object.keys(varied).length === 0 ? {} : { surroundings: varied }),
        }
      }),
    )
    this.observed.push(...observed)
    return Promise.resolve({ observed: observed.toReversed(), findings: this.findings })
  }

  judge({ rules, observed, base }: Parameters<Examiner['judge']>[0]): Promise<readonly Judged[]> {
    return Promise.resolve(
      observed.map(({ row, observation }) => {
        const rule = rules.get(row)
        if (rule === undefined) throw new Error(`no rule for ${row}`)
        const pass = this.#passes(rule, observation, base.get(row))
        if (pass === undefined) return { row, pass: false, mismatch: 'no answer', unanswered: true }
        return { row, pass, ...(pass ? {} : { mismatch: `value: observed ${JSON.stringify(observation)}` }) }
      }),
    )
  }

  #passes(
    { expect, judge }: RowRule,
    observation: Observation,
    base: Observation | undefined,
  ): boolean | undefined {
    if (judge !== undefined) return this.judges[judge]?.(observation)
    return expect !== undefined && this.#meets(expect, observation, base)
  }
}

export const trivialProductsForTests: TrivialProducts = () =>
  [null, true, 0, ''].map((value) => ({ name: JSON.stringify(value), observation: returned(value) }))

/** The rule of verdicts in its plainest form: any valid deciding row that does not pass refutes. */
export const verdictsForTests: VerdictsOf = ({ claims, admissions, rows, findings }) => ({
  claims: claims.map(({ id, kind }) => {
    const deciding = admissions.filter(
      ({ claim, state, role }) =>
        claim === id && state === 'valid' && (role === 'behaviour' || role === 'guard'),
    )
    const passed = deciding.filter(({ row }) => rows.find((one) => one.row === row)?.result === 'pass')
    const settles = passed.some(({ role, guessable }) => (role === 'guard' ? kind === 'keep' : !guessable))
    const verdict: Verdict =
      passed.length < deciding.length
        ? 'refuted'
        : settles && findings.length === 0
          ? 'verified'
          : 'unverifiable'
    return { claim: id, verdict }
  }),
})

/** Files of a set, by path, from text. */
export function filesOf(files: Readonly<Record<string, string>>): CheckSet['files'] {
  return new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]))
}
