import type { Comparison } from '../../specs/comparison.ts'
import type { Json } from '../../specs/json.ts'
import type { Observation } from '../../specs/observation.ts'
import { isObject, own } from './encoded.ts'
import type { FreshProbe } from './fresh-probes.ts'
import { describe, matchObservation } from './match.ts'

const MAX_DIFFERENCES = 20
const SEEN_CHARACTERS = 300

/**
 * Where trees behave differently.
 * @param seen for each tree, the runs of each probe by its row.
 */
export function compareObservations(
  fresh: readonly FreshProbe[],
  seen: readonly ReadonlyMap<string, readonly Observation[]>[],
): Pick<Comparison, 'scenarios' | 'unstable' | 'differences' | 'differing'> {
  const differences: Comparison['differences'] = []
  let [scenarios, unstable, differing] = [0, 0, 0]
  for (const { from, probe } of fresh) {
    const runs = seen.map((tree) => tree.get(probe.row) ?? [])
    const steady = runs.filter(isSteady)
    if (steady.length === 0) {
      unstable += 1
      continue
    }
    scenarios += 1
    const firsts = runs.map(([first]) => first ?? NOTHING)
    const [first = NOTHING, ...others] = firsts
    // Doing now this, now that, where another does one thing is a difference, too.
    if (steady.length === runs.length && others.every((other) => isSame(first, other))) continue
    differing += 1
    if (differences.length < MAX_DIFFERENCES) {
      const input = inputOf(probe)
      const shown = input === undefined ? {} : { input }
      differences.push({ row: from, ...shown, seed: probe.seed, observations: firsts })
    }
  }
  return { scenarios, unstable, differences, differing }
}

/** Of a tree that did not come back. */
const NOTHING: Observation = { outcome: 'timeout', steps: [] }

function isSteady(runs: readonly Observation[]): boolean {
  const [first, ...others] = runs
  return first !== undefined && others.length > 0 && others.every((other) => isSame(first, other))
}

/**
 * Two errors of one name are the same behaviour: how one is worded about an input that nobody asked about is none.
 */
function isSame(one: Observation, other: Observation): boolean {
  if (one.outcome === 'threw' && other.outcome === 'threw') {
    const [name, another] = [nameOf(one.error), nameOf(other.error)]
    if (name !== undefined || another !== undefined) return name === another
  }
  return matchObservation({ asBase: true }, other, one).pass
}

function nameOf(error: Json): Json | undefined {
  return isObject(error) ? own(error, 'name') : undefined
}

function inputOf({ input, command }: FreshProbe['probe']): Json | undefined {
  if (command === undefined) return input as Json | undefined
  return { argv: command.argv, ...(command.stdin === undefined ? {} : { stdin: command.stdin }) }
}

/** The first difference in words; undefined where there is none. */
export function firstDifference({ differences, trees }: Comparison): string | undefined {
  const [first] = differences
  if (first === undefined) return undefined
  const { row, input, seed, observations } = first
  const asked = input === undefined ? `seed ${seed}` : `input ${JSON.stringify(input)}`
  const gave = observations.map(
    (observation, index) => `tree ${(trees[index] ?? '').slice(0, 12)}: ${cut(describe(observation))}`,
  )
  return `${row} with ${cut(asked)}: ${gave.join('; ')}`
}

function cut(text: string): string {
  return text.length <= SEEN_CHARACTERS ? text : `${text.slice(0, SEEN_CHARACTERS).toWellFormed()}…`
}
