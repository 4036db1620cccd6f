import type { CheckSet } from '../specs/check-set.ts'
import type { Digest, TreeId } from '../specs/digest.ts'
import type { Examiner, Judged, Observations } from '../specs/examiner.ts'
import { expandCheckSet } from '../specs/expand.ts'
import type { Grade } from '../specs/grade.ts'
import type { Seal } from '../specs/seal.ts'
import { canaryFindings, rowResults, rowsToRun } from './pure/assemble-grade.ts'
import { verdictsOf } from './pure/verdict.ts'

export interface GradeRequest {
  readonly examiner: Examiner
  readonly seal: Seal
  readonly checkSet: CheckSet
  readonly tree: TreeId
  /** Image id of the product boxes. */
  readonly image: string
  /** Digest of the limits that the boxes run under. */
  readonly limits: Digest
  /** What the grade answers, see `specs/grade.md`. */
  readonly key: Digest
  /** Runs of every row. */
  readonly repeats: number
  readonly signal: AbortSignal
}

/**
 * Runs a sealed check set on a tree and judges it: observe in product boxes, compare outside of them, sum up.
 * @throws Fault `infra/…` when the engine failed, which says nothing of the tree.
 */
export async function gradeTree(request: GradeRequest): Promise<Grade> {
  const { examiner, seal, checkSet, tree, repeats, signal } = request
  const { probes, rules } = expandCheckSet(checkSet.document)
  const toRun = rowsToRun(rules, seal.manifest.rows)
  const wanted = new Set(toRun.map(({ row }) => row))
  const seen = await examiner.observe({
    tree,
    files: checkSet.files,
    probes: probes.filter(({ row }) => wanted.has(row)),
    times: repeats,
    orderSeed: Number.parseInt(seal.manifest.nonceSeed.slice(0, 8), 16),
    signal,
  })
  const judged = await examiner.judge({
    rules: new Map(toRun.map((rule) => [rule.row, rule])),
    files: checkSet.files,
    observed: seen.observed,
    base: new Map(Object.entries(seal.manifest.baseObservations)),
    signal,
  })
  return assemble(request, seen, judged)
}

/** The grade that observations and their judgements add up to; pure. Also how a recorded grade is judged again. */
export function assemble(
  {
    seal,
    checkSet,
    tree,
    image,
    limits,
    key,
    repeats,
    examiner,
  }: Omit<GradeRequest, 'signal' | 'examiner'> & {
    readonly examiner: { readonly runner: Digest }
  },
  { observed, findings }: Observations,
  judged: readonly Judged[],
): Grade {
  const toRun = rowsToRun(expandCheckSet(checkSet.document).rules, seal.manifest.rows)
  const runs = observed.map(({ row, observation }, index) => ({
    row,
    observation,
    pass: judged[index]?.pass ?? false,
    ...(judged[index]?.mismatch === undefined ? {} : { mismatch: judged[index].mismatch }),
  }))
  const rows = rowResults(toRun, runs, repeats)
  const all = [...findings, ...canaryFindings(rows)]
  const verdicts = verdictsOf({
    claims: seal.manifest.claims,
    unverifiable: checkSet.document.unverifiable,
    admissions: seal.manifest.rows,
    rows,
    baseObservations: seal.manifest.baseObservations,
    findings: all,
  })
  return {
    version: 1,
    key,
    tree,
    seal: seal.seal,
    image,
    runner: examiner.runner,
    limits,
    verdict: verdicts.verdict,
    findings: all,
    claims: [...verdicts.claims],
    rows: [...rows],
    failed: verdicts.failed,
    of: verdicts.of,
  }
}
