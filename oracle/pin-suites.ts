import { addPins, lookInto, steady, withRuns, type Pins, type RunRows } from './look-into.ts'
import { byWhatTheyMet, suspectsOf, type Sameness } from './pure/pins.ts'
import type { RowRuns } from './pure/row-runs.ts'

/**
 * As `pinRows` for the rows of suites. Rows of a suite run as one, so one run of it tries a dimension on all of them, and
 * what one depends on stays plain for all.
 * @param runs of a tree that is right as far as anybody knows, those of other rows among them.
 * @param suites by row, the suite that it is of.
 * @returns the runs of the rows of suites.
 */
export async function pinSuites(
  runs: readonly RowRuns[],
  suites: ReadonlyMap<string, string>,
  sameness: Sameness,
  pins: Pins,
  runRows: RunRows,
): Promise<readonly RowRuns[]> {
  const bySuite = Map.groupBy(
    runs.filter(({ rule }) => suites.has(rule.row)),
    ({ rule }) => suites.get(rule.row),
  )
  const pinned: RowRuns[] = []
  for (const rows of bySuite.values()) pinned.push(...(await pinSuite(rows, sameness, pins, runRows)))
  return pinned
}

/** Each round pins something or is the last. */
async function pinSuite(
  runs: readonly RowRuns[],
  sameness: Sameness,
  pins: Pins,
  runRows: RunRows,
): Promise<readonly RowRuns[]> {
  let rows = runs
  while (await findPins(rows, sameness, pins, runRows)) {
    const times = Math.max(0, ...rows.map((row) => row.runs.length - 1))
    const again = await runRows(new Set(rows.map(({ rule }) => rule.row)), times, 1)
    const others = new Map(again.map((row) => [row.rule.row, row.runs]))
    rows = rows.map((row) => withRuns(row, others.get(row.rule.row) ?? []))
  }
  return rows
}

/** Adds what is found first. @returns whether anything was. */
async function findPins(
  rows: readonly RowRuns[],
  sameness: Sameness,
  pins: Pins,
  runRows: RunRows,
): Promise<boolean> {
  const suspects = await steady(suspectsOf(rows, sameness), runRows)
  for (const together of byWhatTheyMet(suspects)) {
    const found = [...(await lookInto(together, runRows))].filter(([, dimensions]) => dimensions.length > 0)
    for (const [row, dimensions] of found) addPins(pins, row, dimensions)
    if (found.length > 0) return true
  }
  return false
}
