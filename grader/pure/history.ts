import type { Probe } from '../../specs/check-set.ts'
import { digestOf } from '../../specs/digest.ts'
import { callsBefore, PLAIN } from '../../specs/surroundings.ts'
import type { CallInput, PlannedRun } from './schedule.ts'
import { shuffled } from './shuffle.ts'

/** So many different inputs are enough; longer histories repeat them. */
const MAX_INPUTS = 8

/**
 * The inputs of other calls in a row's process, in the order in which they are used: a sibling's first, then the row's own,
 * then more siblings'. Who has no sibling is called with its own. The sealed seed decides which siblings, and it is the
 * same for each run of a row, so that what was seen once is seen again.
 */
export function callInputs({ row, input, siblings = [] }: Probe, nonceSeed: string): readonly CallInput[] {
  const seed = Number.parseInt(
    digestOf({ nonceSeed, siblingsOf: row }).slice('sha256:'.length).slice(0, 8),
    16,
  )
  const own: CallInput = input === undefined ? {} : { input }
  const [first, ...others] = shuffled(siblings, seed)
    .slice(0, MAX_INPUTS - 1)
    .map(({ input: theirs }): CallInput => (theirs === undefined ? {} : { input: theirs }))
  return first === undefined ? [own] : [first, own, ...others]
}

/** A run with what other calls in its process are given: only where its surroundings have such calls. */
export function withOthers(run: PlannedRun, nonceSeed: string): PlannedRun {
  const { overlap } = run.surroundings
  const isAlone = callsBefore(run.surroundings) === 0 && overlap === PLAIN.overlap
  return isAlone ? run : { ...run, others: callInputs(run.probe, nonceSeed) }
}
