import type { Kinds } from './seed.ts'
import type { Result, Totals } from './result.ts'

/** Results for people: one line for each seed and side. */
export function resultTable(results: readonly Result[]): string {
  return [
    '| kind | seed | on | mechanism | expected | got | |',
    '|---|---|---|---|---|---|---|',
    ...results.map(
      ({ kind, seed, side, mechanism, byDefault, expected, got, isUnseen, ok }) =>
        `| ${kind} | ${seed} | ${side} | ${mechanism}${byDefault ? ', default policy' : ''} | ${expected.join(' or ')} | ${got} | ${stateOf(isUnseen, ok)} |`,
    ),
  ].join('\n')
}

function stateOf(isUnseen: boolean, ok: boolean): string {
  if (!ok) return '**surprise**'
  return isUnseen ? 'not seen in_process' : 'ok'
}

/** Kinds with the number of their seeds, by area. */
export function kindTable(
  results: readonly Pick<Result, 'seed' | 'kind' | 'honest'>[],
  kinds: Kinds,
): string {
  const seeds = Map.groupBy(
    results.filter(({ honest }) => !honest),
    ({ kind }) => kind,
  )
  const rows = Object.entries(kinds)
    .filter(([kind]) => seeds.has(kind))
    .map(([kind, { area, what }]) => {
      const count = new Set(seeds.get(kind)?.map(({ seed }) => seed)).size
      return `| ${area} | ${kind} | ${what} | ${count} |`
    })
  return ['| area | kind | what | seeds |', '|---|---|---|---|', ...rows].join('\n')
}

export function totalsLine(totals: Totals): string {
  const { attacks, kinds, falsePasses, unseen, falseHolds, lookAlikes, surprises } = totals
  return [
    `${attacks} seeds of ${kinds} kinds, ${falsePasses} false passes`,
    `${unseen} known not to be seen by suites where a policy takes in_process evidence, which the default does not`,
    `${lookAlikes} look-alikes, ${lookAlikes - falseHolds} verified, ${falseHolds} false holds`,
    `${surprises} surprises`,
  ].join('; ')
}
