import type { Kinds } from './seed.ts'
import type { Result, Totals } from './result.ts'

/** Results for people: one line for each seed and side. */
export function resultTable(results: readonly Result[]): string {
  return [
    '| kind | seed | on | mechanism | expected | got | |',
    '|---|---|---|---|---|---|---|',
    ...results.map(
      ({ kind, seed, side, mechanism, expected, got, isOpen, ok }) =>
        `| ${kind} | ${seed} | ${side} | ${mechanism} | ${expected.join(' or ')} | ${got} | ${stateOf(isOpen, ok)} |`,
    ),
  ].join('\n')
}

function stateOf(isOpen: boolean, ok: boolean): string {
  if (!ok) return '**surprise**'
  return isOpen ? 'known to remain' : 'ok'
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
  const { attacks, kinds, falsePasses, knownFalsePasses, falseHolds, lookAlikes, surprises } = totals
  return [
    `${attacks} seeds of ${kinds} kinds, ${falsePasses} false passes (${knownFalsePasses} known to remain)`,
    `${lookAlikes} look-alikes, ${lookAlikes - falseHolds} verified, ${falseHolds} false holds`,
    `${surprises} surprises`,
  ].join('; ')
}
