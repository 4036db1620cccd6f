import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Role } from '../../specs/check-set.ts'
import type { RowRun } from '../../specs/grade.ts'
import type { Observation } from '../../specs/observation.ts'
import { returned, threw, timeout } from '../testing/examiner.ts'
import { admitRow, type RowEvidence } from './admit-row.ts'

const pass = (observation: Observation = returned('as asked')): RowRun => ({ observation, pass: true })
const fail = (
  observation: Observation = returned('other'),
  mismatch = 'value: expected "as asked"',
): RowRun => ({
  observation,
  pass: false,
  mismatch,
})
const evidence = (role: Role, runs: readonly RowRun[], more: Partial<RowEvidence> = {}): RowEvidence => ({
  rule: {
    row: 'r',
    check: 'r',
    ...(role === 'canary' ? {} : { claim: 'c' }),
    role,
    split: 'feedback',
    seed: 0,
    expect: { returns: 'as asked' },
  },
  runs,
  times: runs.length,
  findings: [],
  passedByTrivial: [],
  isJudgeSilent: false,
  ...more,
})

const judged = (row: RowEvidence): RowEvidence => ({ ...row, rule: { ...row.rule, judge: 'judges/j.mjs' } })

describe('a row is valid', () => {
  it.each<[string, RowEvidence]>([
    ['a behaviour that fails each time', evidence('behaviour', [fail(), fail(), fail()])],
    ['a behaviour that hangs each time', evidence('behaviour', [fail(timeout), fail(timeout)])],
    ['a guard that passes each time', evidence('guard', [pass(), pass()])],
    ['a canary that fails each time', evidence('canary', [fail(), fail()])],
    ['an advisory that fails each time', evidence('advisory', [fail(), fail()])],
    ['an advisory that passes each time', evidence('advisory', [pass(), pass()])],
    [
      'a behaviour whose wrong value differs each time',
      evidence('behaviour', [fail(returned(1)), fail(returned(2))]),
    ],
    [
      'a guard that a trivial product passes',
      evidence('guard', [pass(), pass()], { passedByTrivial: ['null'] }),
    ],
  ])('%s', (_name, row) => {
    expect(admitRow(row)).toMatchObject({ state: 'valid', guessable: false, missingOnBase: false })
  })

  it('but guessable, when a trivial product passes a behaviour', () => {
    const row = evidence('behaviour', [fail(), fail()], { passedByTrivial: ['null'] })
    expect(admitRow(row)).toMatchObject({ state: 'valid', guessable: true })
  })

  it('but vacuous, when every trivial product passes a guard', () => {
    const all = { passedByTrivial: ['null', '0'], isVacuous: true }
    expect(admitRow(evidence('guard', [pass(), pass()], all))).toMatchObject({
      state: 'valid',
      guessable: true,
    })
  })

  it.each<[string, RowEvidence]>([
    [
      'a judge that refuses something',
      evidence('guard', [pass(), pass()], { passedPerturbed: { passed: 19, of: 20 } }),
    ],
    ['nothing to show it', evidence('guard', [pass(), pass()], { passedPerturbed: { passed: 0, of: 0 } })],
    [
      'a behaviour by data that only refuses what base shows: it is guessable',
      evidence('behaviour', [fail(), fail()], { passedPerturbed: { passed: 20, of: 20 } }),
    ],
  ])('with %s', (_, row) => expect(admitRow(row).state).toBe('valid'))

  it('but marked with what is missing, when base only lacks something', () => {
    const gone = fail(threw('TypeError', 'lib.trim is not a function'))
    expect(admitRow(evidence('behaviour', [gone, gone]))).toMatchObject({
      state: 'valid',
      missingOnBase: true,
      detail: 'missing on base: lib.trim is not a function',
    })
  })

  it('and not marked, when base reached a behaviour in one run', () => {
    const gone = fail(threw('TypeError', 'lib.trim is not a function'))
    const other = fail(threw('RangeError', 'no'))
    expect(admitRow(evidence('behaviour', [gone, other]))).toMatchObject({ missingOnBase: false })
  })
})

describe('a row is void', () => {
  it.each<[string, RowEvidence, string, string]>([
    [
      'a behaviour that base already shows',
      evidence('behaviour', [pass(), pass()]),
      'already-passes-on-base',
      'base already does this (observed returned {"value":"as asked"}); what base already meets is a guard',
    ],
    [
      'a guard that base does not pass',
      evidence('guard', [fail(), fail()]),
      'fails-on-base',
      'base itself fails it; in run 1 of 2: value: expected "as asked"; what the request changes is a behaviour, what base does is asBase',
    ],
    [
      'a canary that base meets',
      evidence('canary', [pass(), pass()]),
      'canary-passes',
      'base meets it (observed returned {"value":"as asked"}); expected a value nobody can produce',
    ],
    [
      'a canary that doing nothing meets',
      evidence('canary', [fail(), fail()], { passedByTrivial: ['null', '0'] }),
      'plausible-canary',
      'a product that gives null, 0 meets it; expected a value nobody can produce',
    ],
    [
      'a behaviour that fails only sometimes',
      evidence('behaviour', [fail(), pass(), fail()]),
      'unstable',
      'passes in 1 of 3 runs on base; in run 1 of 3: value: expected "as asked"',
    ],
    [
      'a guard that passes only sometimes',
      evidence('guard', [pass(), fail()]),
      'unstable',
      'in run 2 of 2: value',
    ],
    [
      'an advisory that passes only sometimes',
      evidence('advisory', [pass(), fail()]),
      'unstable',
      'in run 2 of 2',
    ],
    [
      'a behaviour that hangs in one run and returns in another',
      evidence('behaviour', [fail(), fail(timeout)]),
      'unstable-observation',
      'base does not end the same way each time: run 1 returned {"value":"other"}; run 2 timeout {}',
    ],
    [
      'a guard that nothing fails',
      evidence('guard', [pass(), pass()], { passedPerturbed: { passed: 20, of: 20 } }),
      'tautological',
      'nothing fails it: 20 of 20 changed observations pass, a hang and a crash among them',
    ],
    [
      'a guard whose judge says yes to everything',
      judged(evidence('guard', [pass(), pass()], { passedPerturbed: { passed: 20, of: 20 } })),
      'judge-accepts-everything',
      'judges/j.mjs says yes to whatever it is shown: to 20 of 20',
    ],
    [
      'a behaviour whose judge says yes to everything but base',
      judged(evidence('behaviour', [fail(), fail()], { passedPerturbed: { passed: 20, of: 20 } })),
      'judge-accepts-everything',
      'judges/j.mjs says yes to all but what base shows: to 20 of 20',
    ],
    [
      'a behaviour whose judge answers about nothing',
      evidence('behaviour', [fail(returned(1), 'the judge did not answer')], { isJudgeSilent: true }),
      'judge-silent',
      'its judge answers about nothing; in run 1 of 1: the judge did not answer',
    ],
    [
      'a guard over text that no seal can hold',
      evidence('guard', [pass(returned('\ud83d')), pass(returned('\ud83d'))]),
      'unsealable-observation',
      'have the scenario give its code units as numbers',
    ],
    [
      'a row with a run too few',
      evidence('guard', [pass()], { times: 2 }),
      'incomplete',
      '1 of 2 runs on base came back',
    ],
    [
      'a row with a run too many',
      evidence('guard', [pass(), pass()], { times: 1 }),
      'incomplete',
      '2 of 1 runs',
    ],
    ['a row that was never run', evidence('guard', [], { times: 0 }), 'incomplete', '0 of 0 runs'],
    [
      'a row whose frame was forged',
      evidence('guard', [pass(), pass()], {
        findings: [{ kind: 'forged-frame', row: 'r', detail: 'nonce\u001b[2J' }],
      }),
      'incomplete',
      'forged-frame on base: nonce\\u001b[2J',
    ],
  ])('%s', (_name, row, reason, detail) => {
    const admitted = admitRow(row)
    expect(admitted).toMatchObject({ state: 'void', reason, missingOnBase: false })
    expect(admitted.detail).toContain(detail)
  })
})

describe('whatever base shows', () => {
  const observation = fc.constantFrom(
    returned(1),
    returned('\ud800'),
    timeout,
    threw('Error', 'x is not a function'),
  )
  const run = fc.record({ observation, pass: fc.boolean() })
  const row = fc
    .tuple(
      fc.constantFrom<Role>('behaviour', 'guard', 'advisory', 'canary'),
      fc.array(run, { maxLength: 5 }),
      fc.nat(5),
    )
    .map(([role, runs, times]) => evidence(role, runs, { times }))

  test.prop([row])('a row whose runs disagree is never valid', (one) => {
    const passes = new Set(one.runs.map((each) => each.pass)).size
    const ends = new Set(one.runs.map((each) => each.observation.outcome)).size
    if (passes > 1 || ends > 1) expect(admitRow(one).state).toBe('void')
  })
  test.prop([row])(
    'a valid behaviour or canary failed in every run, a valid guard passed in every run',
    (one) => {
      const { state, role } = admitRow(one)
      if (state === 'void' || role === 'advisory') return
      expect(one.runs.length).toBe(one.times)
      expect(one.runs.every((each) => each.pass === (role === 'guard'))).toBe(true)
    },
  )
  test.prop([row])('a void row says by name and in words why', (one) => {
    const { state, reason, detail } = admitRow(one)
    if (state === 'void') expect(`${reason ?? ''} ${detail ?? ''}`).toMatch(/^[a-z-]+ .{10,}/)
  })
})
