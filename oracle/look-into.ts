import type { Probe } from '../specs/check-set.ts'
import { PLAIN, type Dimension, type Surroundings } from '../specs/surroundings.ts'
import { afterControl, pinsOf, surroundingsOfTry, triesOf, type Suspect } from './pure/pins.ts'
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

/** Those suspects that one more plain run does not clear. */
export async function steady(suspects: readonly Suspect[], runRows: RunRows): Promise<readonly Suspect[]> {
  if (suspects.length === 0) return []
  const again = await runRows(rowsOf(suspects), 1, 0, () => PLAIN)
  const controls = new Map(again.map((row) => [row.rule.row, row]))
  return suspects.flatMap((suspect) => {
    const control = controls.get(suspect.row)
    return control === undefined ? [] : afterControl(suspect, control)
  })
}

/** Runs suspects with each dimension alone. @returns for each what makes the difference, which may be nothing. */
export async function lookInto(suspects: readonly Suspect[], runRows: RunRows): Promise<Pins> {
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

/** Adds pins to a row's. */
export function addPins(pins: Pins, row: string, found: readonly Dimension[]): void {
  pins.set(row, [...new Set([...(pins.get(row) ?? []), ...found])])
}

/** The plain run of a row as it was, and these instead of its others. */
export function withRuns(row: RowRuns, others: RowRuns['runs']): RowRuns {
  const plain = row.runs.find(({ surroundings }) => surroundings === undefined)
  return { rule: row.rule, runs: [...(plain === undefined ? [] : [plain]), ...others] }
}

function rowsOf(suspects: readonly Suspect[]): ReadonlySet<string> {
  return new Set(suspects.map(({ row }) => row))
}
