import type { SpoiledCanaries } from '../specs/seal.ts'
import type { AdmissionEvidence } from './pure/decide-admission.ts'
import { failedFiles } from './pure/failed-files.ts'
import {
  filesWithCopies,
  filesWithOwnOnly,
  spoiledBy,
  withoutCopies,
  type CanariesSeen,
} from './pure/spoiled-canaries.ts'

/** What one admission saw, with certain canaries left out. */
export interface Gathered {
  readonly evidence: AdmissionEvidence
  readonly canaries: readonly CanariesSeen[]
}

/** Another canary is drawn so often; then the file gets one that cannot pass. */
const DRAWS = 4

/**
 * Gathers evidence until no canary that was planted in a suite says something wrong: one that passes although nobody
 * forged anything is replaced, and where copies of tests disturb the tests beside them, there are none.
 */
export async function settleCanaries(
  gather: (spoiled: SpoiledCanaries) => Promise<Gathered>,
): Promise<AdmissionEvidence> {
  let spoiled: SpoiledCanaries = {}
  let gathered = await gather(spoiled)
  for (let draw = 1; draw <= DRAWS; draw += 1) {
    const more = spoiledBy(spoiled, gathered.canaries)
    if (more === spoiled) break
    spoiled = draw < DRAWS ? more : withoutCopies(more, changed(spoiled, more))
    gathered = await gather(spoiled)
  }
  const disturbed = failedFiles(gathered.evidence, filesWithCopies(gathered.canaries))
  if (disturbed.length > 0) {
    const calm = withoutCopies(spoiled, disturbed)
    const other = await gather(calm)
    if (failedFiles(other.evidence, disturbed).length < disturbed.length) return settled(other, calm)
  }
  return settled(gathered, spoiled)
}

function changed(before: SpoiledCanaries, after: SpoiledCanaries): readonly string[] {
  return Object.keys(after).filter((file) => before[file] !== after[file])
}

function settled({ evidence, canaries }: Gathered, spoiled: SpoiledCanaries): AdmissionEvidence {
  const ownOnly = filesWithOwnOnly(canaries)
  return canaries.length === 0 ? evidence : { ...evidence, canaries: { spoiled, ownOnly } }
}
