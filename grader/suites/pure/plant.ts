import { shuffled } from '../../pure/shuffle.ts'
import type { CanaryOrder, PlantedCanaries } from '../framework.ts'
import { canaryName } from './canary-name.ts'
import type { Contradiction } from './contradiction.ts'

/** A test with one of its assertions contradicted: what a canary can be a copy of. */
export interface Model extends Pick<Contradiction, 'isComparison'> {
  /** The id of the test. */
  readonly test: string
}

/** How tests of a file are named. */
export interface Naming {
  /** The names of its tests, as words between spaces. */
  readonly words: readonly string[]
  /** Names as they stand in the file that no test can have a second time. */
  readonly taken: readonly string[]
  /** Words as they stand in a name. */
  readonly spell: (words: string) => string
}

/** A canary on its way into a file. */
export interface Planting {
  readonly at: number
  readonly text: string
  /** Its test id. */
  readonly test: string
}

/** Canaries of one file: each runs a test once more. */
const MAX_CANARIES = 12

/**
 * Plants copies of models, up to so many: of the tests that matter most one each, then a second one of each, and so on.
 * Comparisons go before what a value cannot meet by itself.
 * @param own what to plant where no model is left.
 */
export function plantCopies<M extends Model>(
  source: string,
  models: readonly M[],
  naming: Naming,
  order: CanaryOrder,
  copy: (model: M, name: string) => Planting,
  own: (name: string) => Planting | undefined,
): PlantedCanaries | undefined {
  const newName = nameGiver(naming, order.random)
  const copies = choose(models, order).flatMap(({ model, number }) => {
    const name = newName()
    return name === undefined ? [] : [{ ...copy(model, name), model: number }]
  })
  if (copies.length > 0) return inserted(source, copies)
  const name = newName()
  const last = name === undefined ? undefined : own(name)
  return last === undefined ? undefined : inserted(source, [last])
}

/** Another name each time; undefined where no name can be made of the others. */
function nameGiver({ words, taken, spell }: Naming, random: () => number): () => string | undefined {
  const all = new Set(taken)
  return () => {
    const made = canaryName(words, (name) => all.has(spell(name)), random)
    const name = made === undefined ? undefined : spell(made)
    if (name !== undefined) all.add(name)
    return name
  }
}

function inserted(
  source: string,
  plantings: readonly (Planting & { readonly model?: number })[],
): PlantedCanaries {
  let text = source
  for (const one of plantings.toSorted((a, b) => b.at - a.at)) {
    text = text.slice(0, one.at) + one.text + text.slice(one.at)
  }
  return {
    source: text,
    canaries: plantings.map(({ test, model }) => ({ test, ...(model === undefined ? {} : { model }) })),
  }
}

interface Numbered<M> {
  readonly model: M
  /** Its place among all models of the file. */
  readonly number: number
}

function choose<M extends Model>(
  models: readonly M[],
  { wanted, spoiled, random }: CanaryOrder,
): readonly Numbered<M>[] {
  const open = models
    .map((model, number) => ({ model, number }))
    .filter(({ number }) => spoiled !== 'all' && spoiled?.includes(number) !== true)
  const mixed = shuffled(open, Math.floor(random() * 2 ** 32))
  const rounds = new Map<string, number>()
  const isWanted = (test: string) => wanted?.some((id) => id === test || id.startsWith(`${test}[`)) === true
  return mixed
    .toSorted((a, b) => Number(b.model.isComparison) - Number(a.model.isComparison))
    .map((one) => {
      const round = rounds.get(one.model.test) ?? 0
      rounds.set(one.model.test, round + 1)
      return { ...one, rank: [one.model.isComparison ? 0 : 1, isWanted(one.model.test) ? 0 : 1, round] }
    })
    .toSorted((a, b) => a.rank.map((value, at) => value - (b.rank[at] ?? 0)).find((off) => off !== 0) ?? 0)
    .slice(0, MAX_CANARIES)
}
