import { describe, expect, it } from 'vitest'
import { matchObservation } from '../grader/pure/match.ts'
import { trivialProducts } from '../grader/pure/trivial-products.ts'
import { verdictsOf } from '../grader/pure/verdict.ts'
import { gatherEvidence } from '../oracle/admission.ts'
import type { VerdictsOf } from '../oracle/pure/admit-trials.ts'
import { decideAdmission } from '../oracle/pure/decide-admission.ts'
import type { TrivialProducts } from '../oracle/pure/row-runs.ts'
import {
  ExaminerInMemory,
  filesOf,
  meetsForTests,
  returned,
  threw,
  timeout,
  treeOf,
  treesOf,
  trivialProductsForTests,
  verdictsForTests,
  type Meets,
  type Product,
} from '../oracle/testing/examiner.ts'
import { checkSetSchema } from '../specs/check-set.ts'
import type { Json } from '../specs/json.ts'
import type { Observation } from '../specs/observation.ts'

/** What admission is given from elsewhere: how rows are compared, what trivial products show, how verdicts follow. */
interface Rules {
  readonly meets: Meets
  readonly trivialProducts: TrivialProducts
  readonly verdictsOf: VerdictsOf
}
/** Of every real grade. */
const GRADERS: Rules = {
  meets: (expect, observation, base) => matchObservation(expect, observation, base).pass,
  trivialProducts,
  verdictsOf,
}
/** Of the oracle's own tests. */
const STAND_INS: Rules = {
  meets: meetsForTests,
  trivialProducts: trivialProductsForTests,
  verdictsOf: verdictsForTests,
}

/** Rows by id: what each expects, and what base, a right and a wrong change show in it. */
type Rows = Readonly<
  Record<
    string,
    {
      readonly role?: 'behaviour' | 'guard' | 'canary'
      readonly expect: Json
      readonly base: Observation
      readonly right: Observation
      readonly wrong?: Observation
      readonly command?: true
    }
  >
>

async function admitted(rows: Rows, rules: Rules) {
  const shows =
    (who: 'base' | 'right' | 'wrong'): Product =>
    ({ check }) =>
      rows[check]![who] ?? rows[check]!.base
  const products = { base: shows('base'), right: shows('right'), wrong: shows('wrong') }
  const document = checkSetSchema.parse({
    version: 1,
    claims: [
      { id: 'change', kind: 'change', statement: 's', spec_ref: 'r' },
      { id: 'keep', kind: 'keep', statement: 's', spec_ref: 'r' },
    ],
    checks: Object.entries(rows).map(([id, { role = 'behaviour', expect, command }]) => ({
      id,
      role,
      ...(role === 'canary' ? {} : { claim: role === 'guard' ? 'keep' : 'change' }),
      ...(command === true ? { command: { argv: ['x'] } } : { scenario: 'scenarios/x.mjs' }),
      expect,
    })),
    trials: [
      { id: 'right', diff: 'trials/right.diff', expect: 'verified' },
      { id: 'wrong', diff: 'trials/wrong.diff', expect: 'refuted' },
    ],
  })
  const evidence = await gatherEvidence(
    {
      set: { document, files: filesOf({ 'trials/right.diff': 'right', 'trials/wrong.diff': 'wrong' }) },
      request: 'r',
      base: treeOf('base'),
      runs: 2,
      trialRuns: 2,
      orderSeed: 7,
      nonceSeed: '0'.repeat(64),
      signal: new AbortController().signal,
    },
    {
      examiner: new ExaminerInMemory(products, rules.meets),
      trees: treesOf(products),
      trivialProducts: rules.trivialProducts,
    },
  )
  const admission = decideAdmission(evidence, { lenient: false, verdictsOf: rules.verdictsOf })
  return {
    rows: Object.fromEntries(
      admission.rows.map(({ row, state, reason, guessable }) => [
        row,
        reason ?? (guessable ? 'guessable' : state),
      ]),
    ),
    trials: Object.fromEntries(admission.trials.map(({ id, got }) => [id, got])),
  }
}

const GUARD = { role: 'guard', expect: { asBase: true }, base: returned(8), right: returned(8) } as const
const PLAIN = { expect: { returns: 4 }, base: returned(3), right: returned(4) }
const limit = (name: 'memory' | 'output'): Observation => ({ outcome: 'limit', limit: name, steps: [] })
const exited = (code: number, text: string): Observation => ({
  outcome: 'exited',
  code,
  signal: null,
  stdout: { text },
  stderr: { text: '' },
  files: {},
  steps: [],
})
const asMeant = { right: 'verified', wrong: 'refuted' } as const

describe('admission by the rules of the grader, and by those that stand in for them in its own tests', () => {
  it.each<[string, Rows, Awaited<ReturnType<typeof admitted>>]>([
    [
      'a set that tells right from wrong',
      { plain: PLAIN, guard: GUARD },
      { rows: { plain: 'valid', guard: 'valid' }, trials: asMeant },
    ],
    [
      'a wrong change that breaks what was to stay',
      { plain: { ...PLAIN, wrong: returned(4) }, guard: { ...GUARD, wrong: returned(9) } },
      { rows: { plain: 'valid', guard: 'valid' }, trials: asMeant },
    ],
    [
      'a wrong change that no row tells from a right one',
      { plain: { ...PLAIN, wrong: returned(4) }, guard: GUARD },
      { rows: { plain: 'valid', guard: 'valid' }, trials: { right: 'verified', wrong: 'verified' } },
    ],
    [
      'a behaviour that null meets',
      { plain: PLAIN, empty: { ...PLAIN, expect: { returns: null }, right: returned(null) }, guard: GUARD },
      { rows: { plain: 'valid', empty: 'guessable', guard: 'valid' }, trials: asMeant },
    ],
    [
      'a behaviour that base meets, and a guard that it does not',
      {
        plain: PLAIN,
        met: { ...PLAIN, base: returned(4) },
        broken: { ...GUARD, expect: { returns: 7 } },
        guard: GUARD,
      },
      {
        rows: { plain: 'valid', met: 'already-passes-on-base', broken: 'fails-on-base', guard: 'valid' },
        trials: asMeant,
      },
    ],
    [
      'a canary with a value that doing nothing gives',
      { plain: PLAIN, canary: { ...PLAIN, role: 'canary', expect: { returns: '' } }, guard: GUARD },
      { rows: { plain: 'valid', canary: 'plausible-canary', guard: 'valid' }, trials: asMeant },
    ],
  ])('%s', async (_name, rows, expected) => {
    expect(await admitted(rows, GRADERS)).toEqual(expected)
    expect(await admitted(rows, STAND_INS)).toEqual(expected)
  })
})

describe('admission by the rules of the grader', () => {
  const stateOf = async (row: Rows[string]) =>
    (await admitted({ plain: PLAIN, guard: GUARD, row }, GRADERS)).rows['row']
  const error = threw('Error', 'no')

  it.each<[string, Json, Observation]>([
    ['false', { returns: false }, returned(false)],
    ['an empty list', { returns: [] }, returned([])],
    ['an empty object', { returns: {} }, returned({})],
    ['any text', { returns: { $type: 'string' } }, returned('a')],
    ['any number below ten', { returns: { $lt: 10 } }, returned(4)],
    ['an object that has none of it', { returns: { $like: {} } }, returned({ a: 1 })],
    ['any error', { throws: { $error: { name: 'Error' } } }, error],
    ['one of two, of which one is empty', { any: [{ returns: 4 }, { returns: null }] }, returned(4)],
    ['anything but what base shows', { not: { returns: [3] } }, returned(4)],
  ])('a behaviour is guessable that expects %s', async (_name, expect_, right) => {
    expect(await stateOf({ expect: expect_, base: returned([3]), right })).toBe('guessable')
  })

  it('a command is guessable that only has to succeed, or fail', async () => {
    const failing = { base: exited(1, 'x'), right: exited(0, 'done'), command: true } as const
    expect(await stateOf({ expect: { exits: { code: 0 } }, ...failing })).toBe('guessable')
    expect(await stateOf({ expect: { exits: { code: 0, stdout: 'done' } }, ...failing })).toBe('valid')
  })

  it.each<[string, Json, Observation]>([
    [
      'a value with something in it',
      { returns: { refused: true, next: 'parsed' } },
      returned({ refused: true, next: 'parsed' }),
    ],
    ['an error of a kind', { throws: { $error: { name: 'TypeError' } } }, threw('TypeError', 'no')],
    ['a list with one element', { returns: { $length: 1 } }, returned([4])],
  ])('a behaviour is not guessable that expects %s', async (_name, expect_, right) => {
    expect(await stateOf({ expect: expect_, base: returned(3), right })).toBe('valid')
  })

  it.each<[string, Json, string]>([
    [
      'whatever is returned or thrown',
      { any: [{ returns: { $anything: true } }, { throws: { $anything: true } }] },
      'guessable',
    ],
    ['all but one value', { not: { returns: 'never' } }, 'tautological'],
    ['an end of any kind', { any: [{ not: { returns: 8 } }, { returns: 8 }] }, 'tautological'],
    ['a number', { returns: { $type: 'number' } }, 'valid'],
  ])('a guard that expects %s is %s', async (_name, expect_, state) => {
    expect(await stateOf({ ...GUARD, expect: expect_ })).toBe(state)
  })

  it('a guard that looks at the steps alone looks at something', async () => {
    const seen: Observation = { outcome: 'returned', value: 8, steps: [{ name: 'before', value: 1 }] }
    const guard = { ...GUARD, expect: { steps: [{ name: 'before', value: 1 }] }, base: seen, right: seen }
    expect(await stateOf(guard)).toBe('valid')
    const rows = { plain: { ...PLAIN, wrong: returned(4) }, guard: { ...guard, wrong: returned(8) } }
    expect((await admitted(rows, GRADERS)).trials).toEqual(asMeant)
  })

  it('a wrong change that meets the limit of the box that base met is not refuted by it; one that is out of time is', async () => {
    const small = { expect: { returns: 'small' }, right: returned('small') }
    const trialsOf = async (base: Observation, wrong: Observation) =>
      (await admitted({ row: { ...small, base, wrong }, guard: GUARD }, GRADERS)).trials['wrong']
    expect(await trialsOf(limit('memory'), limit('memory'))).toBe('unverifiable')
    expect(await trialsOf(limit('memory'), limit('output'))).toBe('refuted')
    expect(await trialsOf(returned('large'), limit('memory'))).toBe('refuted')
    expect(await trialsOf(timeout, timeout)).toBe('refuted')
  })
})
