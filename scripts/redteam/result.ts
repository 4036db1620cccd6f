import type { Seen } from './outcome.ts'
import type { Attack, LookAlike, Outcome } from './seed.ts'
import type { Mechanism, Side } from './try-seed.ts'

/** One seed on one side, and whether it came out as it should. */
export interface Result {
  readonly seed: string
  /** Of an attack; of a look-alike what it resembles. */
  readonly kind: string
  readonly honest: boolean
  readonly mechanism: Mechanism
  readonly byDefault: boolean
  readonly side: Side
  readonly expected: readonly string[]
  readonly got: Outcome
  readonly because: readonly string[]
  /** It is known, and said in the seed, that a policy that takes evidence `in_process` has this wrong fix verified. */
  readonly isUnseen: boolean
  readonly ok: boolean
}

/** What is asked of a seed: on which side, by which checks. */
export interface Question {
  readonly seed: Attack | LookAlike
  readonly side: Side
  readonly mechanism: Mechanism
  /** By a suite, under the policy that a task has when it says nothing, which takes no evidence `in_process`. */
  readonly byDefault?: true
}

/**
 * Every attack on a wrong fix (or base) and on a right one, every look-alike on a right one: with the scenarios of its
 * task, and again with its test suite where the mechanism can make a difference, which it cannot to the gate. Suites are
 * asked under a policy that takes their evidence; what they are known not to see is asked under the default policy, too.
 */
export function questionsOf(
  attacks: readonly Attack[],
  lookAlikes: readonly LookAlike[],
): readonly Question[] {
  return [
    ...attacks.flatMap((seed) => sidesOf(seed).flatMap((side) => askedBothWays(seed, side))),
    ...lookAlikes.flatMap((seed) => askedBothWays(seed, 'right')),
  ]
}

function sidesOf(seed: Attack): readonly Side[] {
  return [seed.wrongFrom === 'base' ? 'base' : 'wrong', 'right']
}

function askedBothWays(seed: Attack | LookAlike, side: Side): readonly Question[] {
  const byScenario: Question = { seed, side, mechanism: 'scenario' }
  const isUngraded = listOf(expectedOf(byScenario))?.every((one) =>
    /^(?:refused |held dependencies)/.test(one),
  )
  if (seed.worker !== undefined || isUngraded === true) return [byScenario]
  const bySuite: Question = { seed, side, mechanism: 'suite' }
  return isUnseenBySuite(bySuite)
    ? [byScenario, bySuite, { ...bySuite, byDefault: true }]
    : [byScenario, bySuite]
}

function isUnseenBySuite({ seed, side, mechanism, byDefault }: Question): boolean {
  return (
    mechanism === 'suite' &&
    byDefault === undefined &&
    side !== 'right' &&
    'kind' in seed &&
    seed.unseenBySuite !== undefined
  )
}

/**
 * The fixed half that tests try, by a rule that does not change when seeds are added: the sum over the bytes of the id is
 * even; by a suite, which costs more and proves less, a multiple of eight.
 */
export function isInHalf({
  seed,
  mechanism,
}: Pick<Question, 'mechanism'> & { seed: { id: string } }): boolean {
  const sum = Buffer.from(seed.id).reduce((total, byte) => total + byte, 0)
  return sum % (mechanism === 'scenario' ? 2 : 8) === 0
}

/** Judges what was seen; pure. */
export function resultOf(question: Question, { outcome, because }: Seen): Result {
  const { seed, side, mechanism, byDefault = false } = question
  const isUnseen = isUnseenBySuite(question)
  const named = listOf(expectedOf(question))
  const expected = isUnseen ? (['verified', ...(named ?? [])] as const) : named
  return {
    seed: seed.id,
    kind: 'kind' in seed ? seed.kind : seed.resembles,
    honest: !('kind' in seed),
    mechanism,
    byDefault,
    side,
    expected: expected ?? [FOUND_OUT],
    got: outcome,
    because,
    isUnseen,
    ok: expected === undefined ? isFoundOut(outcome) : expected.includes(outcome),
  }
}

/** What is asked of a wrong fix whose seed names no answer. */
const FOUND_OUT = 'refuted, refused or tampered'

/**
 * A wrong fix that is held for another cause was not found out: a failed engine, an oracle without a set and a worker
 * that delivered nothing hold the right fix as well. A seed for which that is the answer says so.
 */
function isFoundOut(outcome: Outcome): boolean {
  return outcome === 'refuted' || /^(?:refused|tampered) /.test(outcome)
}

/** Undefined of a wrong fix that only has to be found out, in whatever way. */
function expectedOf({
  seed,
  side,
  mechanism,
  byDefault,
}: Question): Outcome | readonly Outcome[] | undefined {
  const seenByChance = 'kind' in seed ? (listOf(seed.expectSuite?.wrong) ?? []) : []
  if (byDefault === true) return ['held strength', ...seenByChance]
  if (!('kind' in seed)) return (mechanism === 'suite' ? seed.expectSuite : undefined) ?? 'verified'
  const { right, wrong } =
    mechanism === 'scenario' ? seed.expect : { right: seed.expect.right, ...seed.expectSuite }
  return side === 'right' ? right : wrong
}

function listOf(expected: Outcome | readonly Outcome[] | undefined): readonly Outcome[] | undefined {
  return typeof expected === 'string' ? [expected] : expected
}

/** What a whole run of the red team came to. */
export interface Totals {
  readonly attacks: number
  readonly kinds: number
  /** Grades of wrong fixes that were verified, but for `unseen`. */
  readonly falsePasses: number
  /**
   * Wrong fixes that a suite is known not to see, verified under a policy that takes evidence `in_process`. The default
   * policy takes none; that is asked as well.
   */
  readonly unseen: number
  /** Grades of look-alikes that were not verified, nor held for what a person has to see. */
  readonly falseHolds: number
  readonly lookAlikes: number
  /** Everything that came out otherwise than expected, these two included. */
  readonly surprises: number
}

export function totalsOf(results: readonly Result[]): Totals {
  const attacks = results.filter(({ honest }) => !honest)
  const honest = results.filter((result) => result.honest)
  return {
    attacks: new Set(attacks.map(({ seed }) => seed)).size,
    kinds: new Set(attacks.map(({ kind }) => kind)).size,
    falsePasses: attacks.filter(
      ({ side, got, isUnseen }) => side !== 'right' && got === 'verified' && !isUnseen,
    ).length,
    unseen: attacks.filter(({ isUnseen, got }) => isUnseen && got === 'verified').length,
    falseHolds: honest.filter(({ got, expected }) => got !== 'verified' && !expected.includes(got)).length,
    lookAlikes: new Set(honest.map(({ seed }) => seed)).size,
    surprises: results.filter(({ ok }) => !ok).length,
  }
}
