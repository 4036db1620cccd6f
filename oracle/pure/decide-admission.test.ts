import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { checkSetSchema, type Role } from '../../specs/check-set.ts'
import { expandCheckSet } from '../../specs/expand.ts'
import type { RowResult, RowRun } from '../../specs/grade.ts'
import { returned, timeout, verdictsForTests } from '../testing/examiner.ts'
import type { RowEvidence } from './admit-row.ts'
import type { TrialEvidence } from './admit-trials.ts'
import { countTrials, decideAdmission, type AdmissionEvidence } from './decide-admission.ts'

const good: RowRun = { observation: returned('a'), pass: true }
const bad: RowRun = { observation: returned('b'), pass: false, mismatch: 'value: expected "a", observed "b"' }

/** A set of three rows: a behaviour on `trim`, a guard on `rest`, and one more of the given role on `trim`. */
function documentWith(extra: Role = 'advisory', change: Readonly<Record<string, unknown>> = {}) {
  const check = { scenario: 'scenarios/a.mjs', expect: { returns: 'a' } }
  return checkSetSchema.parse({
    version: 1,
    claims: [
      { id: 'trim', kind: 'change', statement: 's', spec_ref: 'r' },
      { id: 'rest', kind: 'keep', statement: 's', spec_ref: 'r' },
    ],
    checks: [
      { ...check, id: 'ends', claim: 'trim', role: 'behaviour' },
      { ...check, id: 'others', claim: 'rest', role: 'guard' },
      {
        ...check,
        id: 'more',
        ...(extra === 'canary' ? {} : { claim: 'trim' }),
        role: extra,
        cases: [{ id: 'x' }],
      },
    ],
    trials: [
      { id: 'right', diff: 'trials/right.diff', expect: 'verified' },
      { id: 'wrong', diff: 'trials/wrong.diff', expect: 'refuted', why: 'only the left end' },
    ],
    ...change,
  })
}

const RUNS: Readonly<Record<Role, readonly RowRun[]>> = {
  behaviour: [bad, bad],
  guard: [good, good],
  advisory: [good, good],
  canary: [bad, bad],
}

interface Change {
  readonly document?: ReturnType<typeof documentWith>
  readonly rows?: Readonly<Record<string, Partial<RowEvidence>>>
  readonly failsOn?: Readonly<Record<string, readonly string[]>>
  readonly trials?: readonly TrialEvidence[]
}

/** Evidence in which all is well, but for what `change` says. `failsOn`: by trial, the rows that fail on it. */
function evidenceOf({
  document = documentWith(),
  rows = {},
  failsOn = {},
  trials,
}: Change = {}): AdmissionEvidence {
  const { rules } = expandCheckSet(document)
  const fails: Readonly<Record<string, readonly string[]>> = { right: [], wrong: ['ends'], ...failsOn }
  const resultOn = (trial: string) =>
    rules.map(({ row, check, claim, role }): RowResult => {
      const isBad = role === 'canary' || fails[trial]?.includes(row) === true
      return {
        row,
        check,
        ...(claim === undefined ? {} : { claim }),
        role,
        result: isBad ? 'fail' : 'pass',
        runs: [isBad ? bad : good],
      }
    })
  return {
    document,
    rows: rules.map((rule) => ({
      rule,
      runs: RUNS[rule.role],
      times: 2,
      findings: [],
      passedByTrivial: [],
      isJudgeSilent: false,
      ...rows[rule.row],
    })),
    findings: [],
    trials:
      trials ??
      document.trials.map((trial) => ({ kind: 'run', trial, rows: resultOn(trial.id), findings: [] })),
    baseObservations: {},
  }
}
const strict = (evidence: AdmissionEvidence) =>
  decideAdmission(evidence, { lenient: false, verdictsOf: verdictsForTests })
const lenient = (evidence: AdmissionEvidence) =>
  decideAdmission(evidence, { lenient: true, verdictsOf: verdictsForTests })

describe('a set is admitted', () => {
  it('when every row is valid and every trial was judged as its author said', () => {
    expect(strict(evidenceOf())).toMatchObject({ admitted: true, reasons: [], flags: [], unverifiable: [] })
  })
  it('with a void advisory, which is a flag', () => {
    const admission = strict(evidenceOf({ rows: { 'more#x': { runs: [good, bad] } } }))
    expect(admission.admitted).toBe(true)
    expect(admission.flags).toEqual([
      'checks[2].cases[0] (more#x): advisory is void, unstable: passes in 1 of 2 runs on base; in run 2 of 2: value: expected "a", observed "b"',
    ])
  })
  it('with a claim that its author listed as unverifiable, beside right trials', () => {
    const listed = { claim: 'trim', missing: 'which ends', gap: 'spec' as const }
    const document = documentWith('advisory', {
      checks: [
        { id: 'others', claim: 'rest', role: 'guard', scenario: 'scenarios/a.mjs', expect: { returns: 'a' } },
      ],
      unverifiable: [listed],
    })
    const admission = strict(evidenceOf({ document, failsOn: { wrong: ['others'] } }))
    expect(admission).toMatchObject({ admitted: true, reasons: [], unverifiable: [listed] })
    expect(admission.trials.map(({ got }) => got)).toEqual(['verified', 'refuted'])
  })
})

describe('while tries remain, goes back to the author', () => {
  it.each<[string, Change, string]>([
    [
      'a void behaviour',
      { document: documentWith('behaviour'), rows: { 'more#x': { runs: [good, good] } } },
      'checks[2].cases[0] (more#x): behaviour is void, already-passes-on-base: base already does this (observed returned {"value":"a"}); what base already meets is a guard',
    ],
    [
      'a void canary',
      { document: documentWith('canary'), rows: { 'more#x': { passedByTrivial: ['null'] } } },
      'checks[2].cases[0] (more#x): canary is void, plausible-canary: a product that gives null meets it; expected a value nobody can produce',
    ],
    [
      'a claim that has only guessable rows',
      { rows: { ends: { passedByTrivial: ['null'] } } },
      'claims[0] (trim): every behaviour row of it is guessable (ends): a product that does next to nothing passes; add one whose answer has to be worked out',
    ],
    [
      'a claim without a row, though not listed',
      {
        document: documentWith('guard', { checks: documentWith('guard').checks.slice(1) }),
        failsOn: { wrong: ['others'] },
      },
      'claims[0] (trim): no behaviour row decides it: add one, or list the claim as unverifiable with what is missing; a criterion that base already meets is a claim of kind keep',
    ],
    [
      'a right trial that is refused',
      { failsOn: { right: ['others'] } },
      'trials[0] (right): ought to be verified but is refuted: others fails (value: expected "a", observed "b")',
    ],
    [
      'a wrong trial that is verified',
      { failsOn: { wrong: [] } },
      'trials[1] (wrong): ought to be refuted (only the left end) but is verified: no row tells it from a right change',
    ],
  ])('%s', (_name, change, reason) => {
    expect(strict(evidenceOf(change))).toMatchObject({ admitted: false, reasons: [reason] })
  })

  it('a trial that does not apply, with the reason', () => {
    const { trials } = documentWith()
    const evidence = evidenceOf({
      trials: [
        { kind: 'does-not-apply', trial: trials[0]!, why: 'error: a.js: No such file' },
        { kind: 'changes-nothing', trial: trials[1]! },
      ],
    })
    expect(strict(evidence).reasons).toEqual([
      'trials[0] (right): trials/right.diff does not apply to base: error: a.js: No such file',
      'trials[1] (wrong): trials/wrong.diff changes nothing: expected a diff against base',
    ])
  })

  it('a finding on base', () => {
    const finding = { kind: 'leftover-process' as const, detail: 'sleep' }
    expect(strict({ ...evidenceOf(), findings: [finding] }).reasons).toEqual([
      'on base: leftover-process: sleep',
    ])
  })

  it('a finding on a right trial', () => {
    const trials = evidenceOf().trials.map((trial) =>
      trial.kind === 'run' && trial.trial.id === 'right'
        ? {
            ...trial,
            findings: [{ kind: 'canary-passed' as const, row: 'x', detail: 'the canary x was met' }],
          }
        : trial,
    )
    expect(strict(evidenceOf({ trials })).reasons).toEqual([
      'trials[0] (right): ought to be verified but is unverifiable: canary-passed: the canary x was met',
    ])
  })

  it('at most fifty reasons, and how many more', () => {
    const trial = documentWith().trials[0]!
    const trials = Array.from({ length: 60 }, () => ({ kind: 'does-not-apply' as const, trial, why: 'x' }))
    const { reasons } = strict(evidenceOf({ trials }))
    expect(reasons).toHaveLength(51)
    expect(reasons.at(-1)).toBe('and 10 more')
  })
})

describe('when no try remains', () => {
  it('drops a void row with a flag, if its claim has another', () => {
    const change = { document: documentWith('behaviour'), rows: { 'more#x': { runs: [good, good] } } }
    const admission = lenient(evidenceOf(change))
    expect(admission).toMatchObject({ admitted: true, reasons: [], unverifiable: [] })
    expect(admission.flags[0]).toContain('dropped: checks[2].cases[0] (more#x): behaviour is void')
  })
  it('makes a claim unverifiable whose only rows are unstable: the gap is a fixture', () => {
    const admission = lenient(
      evidenceOf({ rows: { ends: { runs: [good, bad] } }, failsOn: { wrong: ['others'] } }),
    )
    expect(admission.admitted).toBe(true)
    expect(admission.unverifiable).toEqual([
      {
        claim: 'trim',
        missing: 'a valid behaviour check; those of the set are void: ends unstable',
        gap: 'fixture',
      },
    ])
  })
  it('makes a claim unverifiable that has only guessable rows: the gap is the spec', () => {
    const admission = lenient(evidenceOf({ rows: { ends: { passedByTrivial: ['null'] } } }))
    expect(admission).toMatchObject({ admitted: true, unverifiable: [{ claim: 'trim', gap: 'spec' }] })
    expect(admission.flags).toContain('ends is guessable: a product that does next to nothing passes it')
  })
  it.each<[string, Change, string]>([
    [
      'a right trial that is refused',
      { failsOn: { right: ['ends'] } },
      'trials[0] (right): ought to be verified',
    ],
    ['a wrong trial that is verified', { failsOn: { wrong: [] } }, 'trials[1] (wrong): ought to be refuted'],
    [
      'nothing that can be settled',
      { rows: { ends: { runs: [good, good] }, others: { runs: [bad, bad] } }, trials: [] },
      'no claim can be settled',
    ],
  ])('still refuses %s', (_name, change, reason) => {
    const admission = lenient(evidenceOf(change))
    expect(admission.admitted).toBe(false)
    expect(admission.reasons[0]).toContain(reason)
  })
})

describe('flags', () => {
  it.each<[string, Change, string]>([
    [
      'no valid guard',
      { rows: { others: { runs: [bad, bad] } } },
      'no valid guard: harm beside the request would go unseen',
    ],
    [
      'no right trial',
      { trials: evidenceOf().trials.slice(1) },
      'no trial that ought to be verified: the expectations were never met by any change',
    ],
    [
      'no wrong trial',
      { trials: evidenceOf().trials.slice(0, 1) },
      'no trial that ought to be refuted: nothing shows what the set catches',
    ],
    [
      'a guessable row',
      { rows: { ends: { passedByTrivial: ['0'] } } },
      'ends is guessable: a product that does next to nothing passes it',
    ],
    [
      'a row that is too long to be changed',
      { rows: { ends: { isTooLongToChange: true } } },
      'ends shows too much on base to be tried with changed observations',
    ],
  ])('%s', (_name, change, flag) => expect(strict(evidenceOf(change)).flags).toContain(flag))

  const gone: RowRun = { observation: { outcome: 'unreachable', error: null, steps: [] }, pass: false }
  it('a row that fails on base only because something is missing, unless a right trial passes it', () => {
    const rows = { ends: { runs: [gone, gone] } }
    expect(strict(evidenceOf({ rows })).flags).toEqual([])
    expect(strict(evidenceOf({ rows, trials: [] })).flags[0]).toBe(
      'ends fails on base only because something is missing there, and no right trial passes it (missing on base: the product could not be driven at all)',
    )
  })
  it('a row that runs into its time limit on base', () => {
    const evidence = { ...evidenceOf(), baseObservations: { ends: timeout } }
    expect(strict(evidence).flags).toEqual(['ends runs into its time limit on base'])
  })
})

describe('countTrials', () => {
  it('says how many wrong trials were refused, and how many right ones verified', () => {
    const { trials } = strict(evidenceOf({ failsOn: { right: ['ends'] } }))
    expect(countTrials(trials)).toEqual({ right: 1, rightVerified: 0, wrong: 1, wrongRefuted: 1 })
  })
})

describe('whatever admission saw', () => {
  const run = fc.constantFrom(good, bad, { observation: timeout, pass: false })
  const row = fc.record({
    runs: fc.array(run, { minLength: 1, maxLength: 3 }),
    passedByTrivial: fc.constantFrom<readonly string[]>([], ['null']),
  })
  const rowIds = fc.subarray(['ends', 'others', 'more#x'])
  const change = fc
    .record({
      document: fc
        .constantFrom<Role>('behaviour', 'guard', 'advisory', 'canary')
        .map((role) => documentWith(role)),
      rows: fc.record({ ends: row, others: row, 'more#x': row }),
      failsOn: fc.record({ right: rowIds, wrong: rowIds }),
    })
    .map(evidenceOf)

  test.prop([change])('an admitted set has no reasons, and one that is not has some', (evidence) => {
    for (const { admitted, reasons } of [strict(evidence), lenient(evidence)]) {
      expect(admitted).toBe(reasons.length === 0)
    }
  })
  test.prop([change])(
    'an admitted set verifies none of its wrong trials and refuses none of its right ones',
    (evidence) => {
      const admission = lenient(evidence)
      if (!admission.admitted) return
      for (const { expect: wanted, got } of admission.trials) {
        expect(got).not.toBe(wanted === 'verified' ? 'refuted' : 'verified')
      }
    },
  )
  test.prop([change])('what the strict decision admits, the lenient one admits too', (evidence) => {
    if (strict(evidence).admitted) expect(lenient(evidence).admitted).toBe(true)
  })
  test.prop([change])(
    'every claim of an admitted set has a valid row that settles it, or is said to be unverifiable',
    (evidence) => {
      const { admitted, rows, unverifiable } = lenient(evidence)
      if (!admitted) return
      for (const { id, kind } of evidence.document.claims) {
        const settles = rows.some(
          ({ claim, role, state, guessable }) =>
            claim === id &&
            state === 'valid' &&
            (role === 'behaviour' ? !guessable : role === 'guard' && kind === 'keep'),
        )
        expect(settles).toBe(!unverifiable.some(({ claim }) => claim === id))
      }
    },
  )
})
