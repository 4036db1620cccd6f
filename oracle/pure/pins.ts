import type { RowRun } from '../../specs/grade.ts'
import {
  describeSurroundings,
  DIMENSIONS,
  PLAIN,
  plainBut,
  type Dimension,
  type Surroundings,
  type Varied,
} from '../../specs/surroundings.ts'
import type { RowRuns } from './row-runs.ts'

/** What two runs of a row have in common when its surroundings do not matter: all that was seen, or whether it passes. */
export type Sameness = 'observation' | 'verdict'

/** A row that shows one thing in plain surroundings and another in these. */
export interface Suspect {
  readonly row: string
  readonly plain: RowRun
  readonly varied: RowRun
  readonly surroundings: Varied
  readonly sameness: Sameness
}

/** Rows with a run that is not as the plain one. Runs that hang are too dear to be looked into. */
export function suspectsOf(rows: readonly RowRuns[], sameness: Sameness): readonly Suspect[] {
  return rows.flatMap(({ rule: { row }, runs }) => {
    const plain = runs.find(({ surroundings }) => surroundings === undefined)
    if (plain === undefined || runs.some(({ observation }) => observation.outcome === 'timeout')) return []
    const other = runs.find((run) => run.surroundings !== undefined && !isSame(plain, run, sameness))
    return other?.surroundings === undefined
      ? []
      : [{ row, plain, varied: other, surroundings: other.surroundings, sameness }]
  })
}

/**
 * A suspect after one more plain run. What does not even show the same twice in plain surroundings says nothing of
 * them: only whether it passes is left to be compared, or nothing at all.
 */
export function afterControl(suspect: Suspect, { runs }: RowRuns): readonly Suspect[] {
  const control = runs[0]
  if (control === undefined || !isSame(suspect.plain, control, 'verdict')) return []
  if (isSame(suspect.plain, control, suspect.sameness)) return [suspect]
  return isSame(suspect.plain, suspect.varied, 'verdict') ? [] : [{ ...suspect, sameness: 'verdict' }]
}

/** Suspects that show the difference in the same surroundings: one run can try a dimension on all of them. */
export function byWhatTheyMet(suspects: readonly Suspect[]): readonly (readonly Suspect[])[] {
  const key = ({ surroundings }: Suspect) => describeSurroundings(surroundings)
  return [...Map.groupBy(suspects, key).values()]
}

/** The surroundings in which a suspect is tried: each dimension that was not plain, alone. */
export function surroundingsOfTry({ surroundings }: Suspect, index: number): Surroundings {
  const dimension = dimensionsOf(surroundings)[index]
  return dimension === undefined ? PLAIN : plainBut(surroundings, [dimension])
}

/** How many tries that takes for all of them; those with fewer dimensions than another are tried plain instead. */
export function triesOf(suspects: readonly Suspect[]): number {
  return Math.max(0, ...suspects.map(({ surroundings }) => dimensionsOf(surroundings).length))
}

/** The dimensions that alone make the difference. None, when it takes two of them together, or the row is not stable. */
export function pinsOf(
  { plain, surroundings, sameness }: Suspect,
  tried: readonly RowRun[],
): readonly Dimension[] {
  return dimensionsOf(surroundings).filter((dimension) => {
    const alone = tried.find((run) => run.surroundings?.[dimension] !== undefined)
    return alone !== undefined && !isSame(plain, alone, sameness)
  })
}

function dimensionsOf(varied: Varied): readonly Dimension[] {
  return DIMENSIONS.filter((dimension) => varied[dimension] !== undefined)
}

function isSame(a: RowRun, b: RowRun, sameness: Sameness): boolean {
  if (a.pass !== b.pass || a.unanswered !== b.unanswered) return false
  // As text: what base showed may have no canonical form, and the schema gives all observations one order.
  return sameness === 'verdict' || JSON.stringify(a.observation) === JSON.stringify(b.observation)
}
