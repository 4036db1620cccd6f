import type { Probe } from '../specs/check-set.ts'
import { PLAIN, type Dimension, type Surroundings } from '../specs/surroundings.ts'
import {
  afterControl,
  pinsOf,
  surroundingsOfTry,
  suspectsOf,
  triesOf,
  type Sameness,
  type Suspect,
} from './pure/pins.ts'
import type { RowRuns } from './pure/row-runs.ts'

/** Runs rows on the tree in question, and judges them. */
export type RunRows = (
  rows: ReadonlySet<string>,
  times: number,
  firstRun: number,
  surroundings?: (probe: Probe, run: number) => Surroundings,
) => Promise<readonly RowRuns[]>

/** By row, the dimensions of its surroundings that stay plain. */
export type Pins = Map<string, readonly Dimension[]>

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
    for (const row of changed) pins.set(row, union(pins.get(row) ?? [], found.get(row) ?? []))
    const times = Math.max(0, ...runs.map((row) => row.runs.length - 1))
    for (const again of await runRows(changed, times, 1)) {
      const plain = known.get(again.rule.row)?.runs.find(({ surroundings }) => surroundings === undefined)
      known.set(again.rule.row, {
        rule: again.rule,
        runs: [...(plain === undefined ? [] : [plain]), ...again.runs],
      })
    }
    open = rest.flatMap((suspect) => {
      const row = known.get(suspect.row)
      return row === undefined ? [] : suspectsOf([row], suspect.sameness)
    })
  }
  return runs.map((row) => known.get(row.rule.row) ?? row)
}

async function steady(suspects: readonly Suspect[], runRows: RunRows): Promise<readonly Suspect[]> {
  if (suspects.length === 0) return []
  const again = await runRows(rowsOf(suspects), 1, 0, () => PLAIN)
  const controls = new Map(again.map((row) => [row.rule.row, row]))
  return suspects.flatMap((suspect) => {
    const control = controls.get(suspect.row)
    return control === undefined ? [] : afterControl(suspect, control)
  })
}

async function lookInto(suspects: readonly Suspect[], runRows: RunRows): Promise<Pins> {
  const by = new Map(suspects.map((suspect) => [suspect.row, suspect]))
  const tried = await runRows(rowsOf(suspects), triesOf(suspects), 0, ({ row }, index) => {
    const suspect = by.get(row)
    return suspect === undefined ? PLAIN : surroundingsOfTry(suspect, index)
  })
  return new Map(
    tried.flatMap(({ rule: { row }, runs }) => {
      const suspect = by.get(row)
      return suspect === undefined ? [] : [[row, pinsOf(suspect, runs)] as const]
    }),
  )
}

function rowsOf(suspects: readonly Suspect[]): ReadonlySet<string> {
  return new Set(suspects.map(({ row }) => row))
}

function union(a: readonly Dimension[], b: readonly Dimension[]): readonly Dimension[] {
  return [...new Set([...a, ...b])]
}
