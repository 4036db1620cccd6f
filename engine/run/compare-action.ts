import { compareOutputs } from '../../grader/compare-outputs.ts'
import { firstDifference } from '../../grader/pure/compare-observations.ts'
import { comparisonSchema } from '../../specs/comparison.ts'
import { Fault } from '../../specs/fault.ts'
import type { Examiner } from '../../specs/examiner.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Blobs } from '../journal/blobs.ts'
import type { Journal } from '../journal/journal.ts'
import { cutText } from '../pure/well-formed.ts'
import type { Sealed } from '../seal/sealed-directory.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import { lastEvent } from './last-event.ts'

interface CompareDeps {
  readonly journal: Journal
  readonly blobs: Blobs
  readonly prepared: PreparedTask
  readonly examiner: Examiner
}

const MAX_TEXT_CHARACTERS = 4000

/** Runs the verified outputs of a race on the same fresh scenarios. Attempts that left the same tree are one. */
export async function compareAttempts(
  { journal, blobs, prepared, examiner }: CompareDeps,
  attempts: readonly number[],
  sealed: Sealed,
  signal: AbortSignal,
): Promise<EventBody> {
  const treeOf = (attempt: number): string => {
    const { tree } = lastEvent(journal, 'opened', attempt)
    if (tree === undefined) throw new Fault('bug/no-tree', `attempt ${attempt} has no tree to compare`)
    return tree
  }
  const trees = [...new Set(attempts.map(treeOf))]
  const made =
    trees.length < 2
      ? { ...NOTHING, seal: sealed.seal.seal, trees: [...trees, ...trees] }
      : await compareOutputs({ examiner, ...sealed, trees, image: prepared.product.id, signal })
  const comparison = comparisonSchema.parse(made)
  const [found] = comparison.findings
  const whose = attempts.find((attempt) => treeOf(attempt) === found?.tree)
  const first = firstDifference(comparison)
  return {
    type: 'compared',
    attempts: [...attempts],
    comparison: await blobs.put(JSON.stringify(comparison)),
    trees: trees.length,
    scenarios: comparison.scenarios,
    differences: comparison.differing,
    ...(first === undefined ? {} : { first: cutText(first, MAX_TEXT_CHARACTERS) }),
    ...(found === undefined || whose === undefined
      ? {}
      : { tampered: { attempt: whose, finding: found.finding.kind } }),
  }
}

/** Of one tree there is nothing to compare. */
const NOTHING = {
  version: 1,
  scenarios: 0,
  unstable: 0,
  differences: [],
  differing: 0,
  findings: [],
} as const
