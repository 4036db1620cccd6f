import type { CaseRow, Check, Sibling } from './check-set.ts'
import type { Expectation } from './expectation.ts'

interface Row {
  readonly check: Check
  readonly row: CaseRow | undefined
}

/** A row with its id and input, and those that can be its siblings have the same `group`. */
interface Candidate extends Sibling {
  readonly group: string
}

/**
 * The siblings of each row: the others over the same scenario and of the same role, for what is asked of base and what is
 * asked of the change behave otherwise there. A row that expects its process to end badly is nobody's sibling: it would
 * take the other with it.
 * @param identify the id of a row and its input.
 * @returns by row; rows without any are left out.
 */
export function siblingsByRow(
  rows: readonly Row[],
  identify: (row: Row) => Sibling,
): ReadonlyMap<string, readonly Sibling[]> {
  const candidates = rows.filter(isScenario).map((row): Candidate & { readonly ends: boolean } => ({
    ...identify(row),
    group: `${row.check.role} ${row.check.scenario ?? ''}`,
    ends: endsItsProcess(row.row?.expect ?? row.check.expect),
  }))
  const groups = Map.groupBy(candidates, ({ group }) => group)
  return new Map(
    candidates.flatMap(({ row, group }) => {
      const others = (groups.get(group) ?? []).filter((other) => other.row !== row && !other.ends)
      const siblings = others.map(({ row: id, input }) => ({
        row: id,
        ...(input === undefined ? {} : { input }),
      }))
      return siblings.length === 0 ? [] : [[row, siblings] as const]
    }),
  )
}

/** What is slow or writes is called once only, so it is not called for others either. */
function isScenario({ check }: Row): boolean {
  return check.suite === undefined && check.command === undefined && check.service === undefined
}

function endsItsProcess(expectation: Expectation | undefined): boolean {
  if (expectation === undefined) return false
  if ('any' in expectation) return expectation.any.some(endsItsProcess)
  if ('all' in expectation) return expectation.all.some(endsItsProcess)
  return 'outcome' in expectation
}
