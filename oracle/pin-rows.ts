import { addPins, lookInto, steady, withRuns, type Pins, type RunRows } from './look-into.ts'
import { suspectsOf, type Sameness } from './pure/pins.ts'
import type { RowRuns } from './pure/row-runs.ts'

/** Suspects that are looked into one dimension at a time; the rest is tried with what was found on these. */
const AT_ONCE = 8

/**
 * Finds out what of the surroundings rows depend on by nature, pins that, and runs those rows again. Costs nothing where
 * all runs of each row agree.
 * @param runs of a tree that is right as far as anybody knows: base, or a right trial.
 * @param pins what is known already; what is found is added.
 * @returns the runs, those of pinned rows in the surroundings that are left to them.
 */
export async function pinRows(
  runs: readonly RowRuns[],
  sameness: Sameness,
  pins: Pins,
  runRows: RunRows,
): Promise<readonly RowRuns[]> {
  const known = new Map(runs.map((row) => [row.rule.row, row]))
  let open = await steady(suspectsOf(runs, sameness), runRows)
  while (open.length > 0) {
    const [batch, rest] = [open.slice(0, AT_ONCE), open.slice(AT_ONCE)]
    const found = await lookInto(batch, runRows)
    const all = [...new Set(found.values().flatMap((dimensions) => dimensions))]
    for (const { row } of rest) found.set(row, all)
    const changed = new Set([...found].filter(([, dimensions]) => dimensions.length > 0).map(([row]) => row))
    for (const row of changed) addPins(pins, row, found.get(row) ?? [])
    const times = Math.max(0, ...runs.map((row) => row.runs.length - 1))
    for (const again of await runRows(changed, times, 1)) {
      const before = known.get(again.rule.row)
      if (before !== undefined) known.set(again.rule.row, withRuns(before, again.runs))
    }
    open = rest.flatMap((suspect) => {
      const row = known.get(suspect.row)
      return row === undefined ? [] : suspectsOf([row], suspect.sameness)
    })
  }
  return runs.map((row) => known.get(row.rule.row) ?? row)
}
