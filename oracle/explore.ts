import type { CheckSet } from '../specs/check-set.ts'
import type { TreeId } from '../specs/digest.ts'
import type { Examiner, Observations } from '../specs/examiner.ts'
import { expandCheckSet } from '../specs/expand.ts'
import type { ProblemCode } from './pure/problem.ts'

/** What a set may still lack while its author looks around: expectations and claims come after the first look. */
export const EXPLORE_TOLERATES: ReadonlySet<ProblemCode> = new Set([
  'expect-or-judge',
  'claim-missing',
  'claim-unknown',
  'quotation',
  'as-base-role',
  'unverifiable-decided',
])

/**
 * What a tree (base, as a rule) shows for each row, in the order of the document; nothing is judged.
 * @throws Fault `infra/…` when the engine failed.
 */
export async function exploreTree(
  request: {
    readonly set: CheckSet
    readonly tree: TreeId
    readonly times: number
    readonly orderSeed: number
    readonly signal: AbortSignal
  },
  examiner: Examiner,
): Promise<Observations> {
  const { set, tree, times, orderSeed, signal } = request
  const { probes } = expandCheckSet(set.document)
  if (probes.length === 0) return { observed: [], findings: [] }
  const { observed, findings } = await examiner.observe({
    tree,
    files: set.files,
    probes,
    times,
    orderSeed,
    ground: { base: tree, seed: String(orderSeed) },
    signal,
  })
  const order = new Map(probes.map(({ row }, index) => [row, index]))
  const inOrder = observed.toSorted((a, b) => (order.get(a.row) ?? 0) - (order.get(b.row) ?? 0))
  return { observed: inOrder, findings }
}
