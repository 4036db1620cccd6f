import type { Probe, RowRule } from '../specs/check-set.ts'
import type { Judged, Observed } from '../specs/examiner.ts'
import type { Observation } from '../specs/observation.ts'
import { admitRow, type RowEvidence } from './pure/admit-row.ts'
import { perturbed } from './pure/perturb.ts'
import type { TrivialProducts } from './pure/row-runs.ts'

type JudgeEach = (observed: readonly Observed[]) => Promise<readonly Judged[]>

/** Rows of one judge that are tried with changed observations. */
const ROWS_OF_A_JUDGE = 20
/** An observation that is longer is not changed in twenty ways; the seal's flags say so. */
const PERTURBED_CHARS = 50_000

/** By row, the trivial products that pass it. Only rows for which it matters are tried. */
export async function tryTrivialProducts(
  rows: readonly RowEvidence[],
  probes: readonly Probe[],
  trivialProducts: TrivialProducts,
  judgeEach: JudgeEach,
): Promise<ReadonlyMap<string, Pick<RowEvidence, 'passedByTrivial' | 'isVacuous'>>> {
  const probeOf = new Map(probes.map((probe) => [probe.row, probe]))
  const tries = rows
    .filter((row) => row.rule.role !== 'advisory' && isOpen(row))
    .flatMap(({ rule: { row } }) => {
      const probe = probeOf.get(row)
      const products = probe === undefined ? [] : trivialProducts(probe)
      return products.map(({ name, observation }) => ({ row, name, observation }))
    })
  const judged = await judgeEach(tries.map(({ row, observation }) => ({ row, observation })))
  const results = tries.map(({ row, name }, index) => ({ row, name, pass: judged[index]?.pass === true }))
  return new Map(
    [...Map.groupBy(results, ({ row }) => row)].map(([row, all]) => {
      const passed = all.filter(({ pass }) => pass)
      return [
        row,
        { passedByTrivial: passed.map(({ name }) => name), isVacuous: passed.length === all.length },
      ]
    }),
  )
}

/**
 * By row, how much of what a product might have shown instead it passes: guards, and whatever a judge judges. A judge of
 * many rows is tried on the first of them, and what it makes of those together holds for the others.
 */
export async function tryPerturbed(
  rows: readonly RowEvidence[],
  base: ReadonlyMap<string, Observation>,
  judgeEach: JudgeEach,
): Promise<ReadonlyMap<string, Pick<RowEvidence, 'passedPerturbed' | 'isTooLongToChange'>>> {
  const asked = rows.filter(
    (row) =>
      (row.rule.role === 'guard' || (row.rule.role === 'behaviour' && row.rule.judge !== undefined)) &&
      isOpen(row),
  )
  const groups = [...Map.groupBy(asked, ({ rule: { row, judge } }) => judge ?? row).values()].map((group) =>
    group.map(({ rule: { row } }) => ({ row, ...changesOf(base.get(row)) })),
  )
  const tries = groups.flatMap((group) =>
    group
      .filter(({ changed }) => changed.length > 0)
      .slice(0, ROWS_OF_A_JUDGE)
      .flatMap(({ row, changed }) => changed.map((observation) => ({ row, observation }))),
  )
  const answers = Map.groupBy(await judgeEach(tries), ({ row }) => row)
  return new Map(
    groups.flatMap((group) => {
      const together = group.flatMap(({ row }) => answers.get(row) ?? [])
      return group.map(({ row, isTooLongToChange }) => [
        row,
        {
          passedPerturbed: tally(answers.get(row) ?? together),
          ...(isTooLongToChange ? { isTooLongToChange } : {}),
        },
      ])
    }),
  )
}

function changesOf(seen: Observation | undefined) {
  const isTooLongToChange = seen !== undefined && JSON.stringify(seen).length > PERTURBED_CHARS
  return { isTooLongToChange, changed: seen === undefined || isTooLongToChange ? [] : perturbed(seen) }
}

function tally(judged: readonly Judged[]): NonNullable<RowEvidence['passedPerturbed']> {
  return { passed: judged.filter(({ pass }) => pass).length, of: judged.length }
}

/** Valid so far, and open to more than one answer: of `asBase`, what base showed is the one thing that passes. */
function isOpen(row: RowEvidence): boolean {
  return !isAsBase(row.rule) && admitRow(row).state === 'valid'
}

function isAsBase({ expect }: RowRule): boolean {
  return expect !== undefined && 'asBase' in expect
}
