import type { CheckSet } from '../specs/check-set.ts'
import type { Comparison } from '../specs/comparison.ts'
import type { TreeId } from '../specs/digest.ts'
import type { Examiner } from '../specs/examiner.ts'
import { expandCheckSet } from '../specs/expand.ts'
import type { Observation } from '../specs/observation.ts'
import type { Seal } from '../specs/seal.ts'
import { requireSeal } from '../specs/verify-seal.ts'
import { compareObservations } from './pure/compare-observations.ts'
import { freshProbes } from './pure/fresh-probes.ts'

/** Fresh scenarios of one comparison: as many as tell a difference that is worth a person's time, in seconds. */
export const FRESH_SCENARIOS = 40
const RUNS = 2

/**
 * Runs the same fresh scenarios on several trees and says where they behave differently. The scenarios are drawn from the
 * seal, so every comparison of these trees has the same; none of them is a row that a tree was graded with.
 * @param options.trees two or more, each another.
 * @param options.image id of the product image, which the set must be sealed with.
 * @throws Fault `config/seal…` when the check set is not the sealed one, `infra/…` when the engine failed.
 */
export async function compareOutputs(options: {
  readonly examiner: Examiner
  readonly seal: Seal
  readonly checkSet: CheckSet
  readonly trees: readonly TreeId[]
  readonly image: string
  readonly signal: AbortSignal
}): Promise<Comparison> {
  const { examiner, seal, checkSet, trees, image, signal } = options
  requireSeal(seal, checkSet, { image, runner: examiner.runner }, 'the check set')
  const { manifest } = seal
  const deciding = new Set(
    manifest.rows
      .filter(({ state, role }) => state === 'valid' && (role === 'behaviour' || role === 'guard'))
      .map(({ row }) => row),
  )
  const probes = expandCheckSet(checkSet.document).probes.filter(({ row }) => deciding.has(row))
  const asksRandom = (scenario: string) => textOf(checkSet.files.get(scenario)).includes('random')
  const fresh = freshProbes(probes, manifest.nonceSeed, FRESH_SCENARIOS, asksRandom)
  const seen: { readonly runs: ReadonlyMap<string, readonly Observation[]> }[] = []
  const findings: Comparison['findings'] = []
  for (const tree of trees) {
    const { observed, findings: found } = await examiner.observe({
      tree,
      files: checkSet.files,
      probes: fresh.map(({ probe }) => probe),
      times: RUNS,
      orderSeed: 0,
      signal,
    })
    findings.push(...found.map((finding) => ({ tree, finding })))
    const runs = Map.groupBy(observed, ({ row }) => row)
    seen.push({
      runs: new Map([...runs].map(([row, some]) => [row, some.map(({ observation }) => observation)])),
    })
  }
  const outcome = compareObservations(
    fresh,
    seen.map(({ runs }) => runs),
  )
  return { version: 1, seal: seal.seal, trees: [...trees], ...outcome, findings: findings.slice(0, 100) }
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('utf8')
}
