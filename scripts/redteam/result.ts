import type { Seen } from './outcome.ts'
import type { Attack, LookAlike, Outcome } from './seed.ts'
import type { Side } from './try-seed.ts'

/** One seed on one side, and whether it came out as it should. */
export interface Result {
  readonly seed: string
  /** Of an attack; of a look-alike what it resembles. */
  readonly kind: string
  readonly honest: boolean
  readonly mechanism: 'scenario'
  readonly side: Side
  readonly expected: readonly string[]
  readonly got: Outcome
  readonly because: readonly string[]
  readonly ok: boolean
}

/** What is asked of a seed on one side. */
export interface Question {
  readonly seed: Attack | LookAlike
  readonly side: Side
}

/** Every attack on a wrong fix (or base) and on a right one, every look-alike on a right one. */
export function questionsOf(
  attacks: readonly Attack[],
  lookAlikes: readonly LookAlike[],
): readonly Question[] {
  return [
    ...attacks.flatMap((seed): Question[] => [
      { seed, side: seed.wrongFrom === 'base' ? 'base' : 'wrong' },
      { seed, side: 'right' },
    ]),
    ...lookAlikes.map((seed): Question => ({ seed, side: 'right' })),
  ]
}

/** Judges what was seen; pure. */
export function resultOf({ seed, side }: Question, { outcome, because }: Seen): Result {
  const expected = expectedOf(seed, side)
  const ok = expected === undefined ? outcome !== 'verified' : expected.includes(outcome)
  return {
    seed: seed.id,
    kind: 'kind' in seed ? seed.kind : seed.resembles,
    honest: !('kind' in seed),
    mechanism: 'scenario',
    side,
    expected: expected ?? ['not verified'],
    got: outcome,
    because,
    ok,
  }
}

function expectedOf(seed: Attack | LookAlike, side: Side): readonly Outcome[] | undefined {
  if (!('kind' in seed)) return ['verified']
  const expected = side === 'right' ? seed.expect.right : seed.expect.wrong
  return typeof expected === 'string' ? [expected] : expected
}

/** What a whole run of the red team came to. */
export interface Totals {
  readonly attacks: number
  readonly kinds: number
  /** Wrong fixes that were verified. */
  readonly falsePasses: number
  /** Look-alikes that were not. */
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
    falsePasses: attacks.filter(({ side, got }) => side !== 'right' && got === 'verified').length,
    falseHolds: honest.filter(({ got }) => got !== 'verified').length,
    lookAlikes: honest.length,
    surprises: results.filter(({ ok }) => !ok).length,
  }
}
