import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Claim, Role } from '../../specs/check-set.ts'
import type { Finding, RowResult, Verdict } from '../../specs/grade.ts'
import type { Observation } from '../../specs/observation.ts'
import type { RowAdmission } from '../../specs/seal.ts'
import { verdictsOf, type Evidence } from './verdict.ts'

interface Row {
  readonly role: Role
  readonly result: RowResult['result'] | 'none'
  readonly state?: RowAdmission['state']
  readonly guessable?: boolean
  readonly claim?: string
  readonly split?: RowAdmission['split']
  readonly observation?: Observation
  readonly base?: Observation
  readonly strength?: 'in_process'
}

const claim = (id: string, kind: Claim['kind'] = 'change'): Claim => ({
  id,
  kind,
  statement: id,
  spec_ref: id,
})
const finding: Finding = { kind: 'forged-frame', detail: '' }
const OUT_OF_MEMORY: Observation = { outcome: 'limit', limit: 'memory', steps: [] }
const TOO_MUCH_OUTPUT: Observation = { outcome: 'limit', limit: 'output', steps: [] }
const TIMEOUT: Observation = { outcome: 'timeout', steps: [] }

function evidence(rows: readonly Row[], more: Partial<Evidence> = {}): Evidence {
  const named = rows.map((row, index) => ({ ...row, row: `r${index}` }))
  return {
    claims: [claim('c')],
    unverifiable: [],
    admissions: named.map(
      ({ row, role, state = 'valid', guessable = false, split = 'feedback', claim: of = 'c', strength }) => ({
        row,
        check: row,
        role,
        split,
        state,
        guessable,
        missingOnBase: false,
        ...(role === 'canary' ? {} : { claim: of }),
        ...(strength === undefined ? {} : { strength }),
      }),
    ),
    rows: named.flatMap(({ row, role, result, observation }) =>
      result === 'none'
        ? []
        : [
            {
              row,
              check: row,
              role,
              result,
              runs: observation === undefined ? [] : [{ observation, pass: result === 'pass' }],
            },
          ],
    ),
    baseObservations: Object.fromEntries(
      named.flatMap(({ row, base }) => (base === undefined ? [] : [[row, base]])),
    ),
    findings: [],
    ...more,
  }
}

const pass = (role: Role, more: Partial<Row> = {}): Row => ({ role, result: 'pass', ...more })
const fail = (role: Role, more: Partial<Row> = {}): Row => ({ role, result: 'fail', ...more })

describe('the evidence of a claim is', () => {
  const IN_PROCESS = { strength: 'in_process' } as const
  it.each<['isolated' | 'in_process', string, readonly Row[], Claim['kind']?]>([
    ['isolated', 'when nothing rests on a suite', [pass('behaviour'), pass('guard')]],
    ['in_process', 'when all that carries it is of a suite', [pass('behaviour', IN_PROCESS), pass('guard')]],
    [
      'isolated',
      'when something else carries it: a row of a suite beside that can only take it away',
      [pass('behaviour', IN_PROCESS), pass('behaviour')],
    ],
    [
      'in_process',
      'when what is beside the suite could be guessed',
      [pass('behaviour', IN_PROCESS), pass('behaviour', { guessable: true })],
    ],
    [
      'in_process',
      'when a claim to keep something has guards of a suite only',
      [pass('guard', IN_PROCESS)],
      'keep',
    ],
    ['in_process', 'when a suite refutes it', [fail('behaviour', IN_PROCESS)]],
  ])('%s %s', (strength, _, rows, kind = 'change') => {
    const { claims } = verdictsOf(evidence(rows, { claims: [claim('c', kind)] }))
    expect(claims[0]?.strength).toBe(strength)
  })
})

describe('a claim that something changes is', () => {
  it.each<[Verdict, string, readonly Row[]]>([
    ['verified', 'when a behaviour check passes', [pass('behaviour')]],
    ['verified', 'when behaviour and guard pass', [pass('behaviour'), pass('guard')]],
    [
      'verified',
      'when a guessable check passes beside one that is not',
      [pass('behaviour', { guessable: true }), pass('behaviour')],
    ],
    [
      'verified',
      'when only void, advisory and canary rows fail',
      [pass('behaviour'), fail('behaviour', { state: 'void' }), fail('advisory'), fail('canary')],
    ],
    ['refuted', 'when a behaviour check fails', [fail('behaviour'), pass('behaviour')]],
    ['refuted', 'when a guard fails', [pass('behaviour'), fail('guard')]],
    ['refuted', 'when a guessable check fails', [pass('behaviour'), fail('behaviour', { guessable: true })]],
    [
      'refuted',
      'when one row fails and another is unstable',
      [fail('behaviour'), { role: 'guard', result: 'unstable' }],
    ],
    [
      'refuted',
      'when output hits a limit that base does not',
      [pass('behaviour'), fail('guard', { observation: OUT_OF_MEMORY })],
    ],
    [
      'refuted',
      'when output hits another limit than base',
      [pass('behaviour'), fail('behaviour', { observation: OUT_OF_MEMORY, base: TOO_MUCH_OUTPUT })],
    ],
    [
      'refuted',
      'when base and output both use up the time of the check',
      [fail('behaviour', { observation: TIMEOUT, base: TIMEOUT })],
    ],
    [
      'unverifiable',
      'when base and output hit the same limit',
      [pass('behaviour'), fail('behaviour', { observation: OUT_OF_MEMORY, base: OUT_OF_MEMORY })],
    ],
    ['unverifiable', 'without any row', []],
    ['unverifiable', 'with void rows only', [pass('behaviour', { state: 'void' })]],
    ['unverifiable', 'with guards only', [pass('guard')]],
    ['unverifiable', 'with guessable checks only', [pass('behaviour', { guessable: true })]],
    ['unverifiable', 'with advisory rows only', [pass('advisory')]],
    ['unverifiable', 'with rows of another claim only', [pass('behaviour', { claim: 'other' })]],
    [
      'unverifiable',
      'when a row passes in some runs only',
      [pass('behaviour'), { role: 'guard', result: 'unstable' }],
    ],
    [
      'unverifiable',
      'when a row has runs missing',
      [pass('behaviour'), { role: 'guard', result: 'missing' }],
    ],
    [
      'unverifiable',
      'when a valid row never came back',
      [pass('behaviour'), { role: 'guard', result: 'none' }],
    ],
  ])('%s %s', (verdict, _when, rows) => {
    const result = verdictsOf(evidence(rows))
    expect(result.claims.map((one) => one.verdict)).toEqual([verdict])
    expect(result.claims[0]?.missing === undefined).toBe(verdict !== 'unverifiable')
    expect(result.verdict).toBe(verdict)
  })
})

describe('a claim that something stays is', () => {
  it.each<[Verdict, string, readonly Row[]]>([
    ['verified', 'when a guard passes', [pass('guard')]],
    ['verified', 'when a behaviour check passes', [pass('behaviour')]],
    ['refuted', 'when a guard fails', [fail('guard'), pass('guard')]],
    ['unverifiable', 'with guessable behaviour checks only', [pass('behaviour', { guessable: true })]],
    ['unverifiable', 'with vacuous guards only', [pass('guard', { guessable: true })]],
    ['refuted', 'when a vacuous guard fails', [fail('guard', { guessable: true }), pass('guard')]],
    ['unverifiable', 'without any row', []],
  ])('%s %s', (verdict, _when, rows) => {
    expect(verdictsOf(evidence(rows, { claims: [claim('c', 'keep')] })).verdict).toBe(verdict)
  })
})

describe('a task is', () => {
  const two = { claims: [claim('c'), claim('d')] }
  it.each<[Verdict, string, Evidence]>([
    [
      'verified',
      'when all claims are',
      evidence([pass('behaviour'), pass('behaviour', { claim: 'd' })], two),
    ],
    ['refuted', 'when one claim is, whatever the others are', evidence([fail('behaviour')], two)],
    ['unverifiable', 'when one claim is and none is refuted', evidence([pass('behaviour')], two)],
    ['unverifiable', 'without claims', evidence([pass('behaviour')], { claims: [] })],
    [
      'unverifiable',
      'when everything passes but something was tampered with',
      evidence([pass('behaviour')], { findings: [finding] }),
    ],
    [
      'refuted',
      'when something fails and something was tampered with',
      evidence([fail('behaviour')], { findings: [finding] }),
    ],
    [
      'unverifiable',
      'when its set says that a claim cannot be settled, whatever the rows show',
      evidence([pass('behaviour'), fail('guard')], {
        unverifiable: [{ claim: 'c', missing: 'which of two', gap: 'spec' }],
      }),
    ],
  ])('%s %s', (verdict, _when, given) => {
    expect(verdictsOf(given).verdict).toBe(verdict)
  })

  it('says what is missing in the words of the set, with its gap', () => {
    const { claims } = verdictsOf(
      evidence([], { unverifiable: [{ claim: 'c', missing: 'which of two', gap: 'spec' }] }),
    )
    expect(claims[0]).toMatchObject({ missing: 'which of two', gap: 'spec' })
  })
})

it('counts the deciding rows, and those that did not pass', () => {
  const rows = [
    pass('behaviour'),
    fail('guard'),
    fail('advisory'),
    fail('canary'),
    fail('behaviour', { state: 'void' }),
  ]
  expect(verdictsOf(evidence(rows))).toMatchObject({ failed: 1, of: 2 })
})

it('counts no landing check in what a worker hears, though one refutes like any other', () => {
  const rows = [pass('behaviour'), fail('behaviour', { split: 'landing' }), fail('guard')]
  expect(verdictsOf(evidence(rows))).toMatchObject({ verdict: 'refuted', failed: 1, of: 2 })
  const onlyLanding = [pass('behaviour'), fail('behaviour', { split: 'landing' })]
  expect(verdictsOf(evidence(onlyLanding))).toMatchObject({ verdict: 'refuted', failed: 0, of: 1 })
})

it('rests a refutation on the rows that failed, and a verification on all that passed', () => {
  expect(verdictsOf(evidence([pass('behaviour'), fail('guard')])).claims[0]?.evidence).toEqual(['r1'])
  expect(verdictsOf(evidence([pass('behaviour'), pass('guard')])).claims[0]?.evidence).toEqual(['r0', 'r1'])
})

const anyRow: fc.Arbitrary<Row> = fc.record({
  role: fc.constantFrom<Role>('behaviour', 'guard', 'advisory', 'canary'),
  result: fc.constantFrom<Row['result']>('pass', 'fail', 'unstable', 'missing', 'none'),
  state: fc.constantFrom('valid', 'void'),
  guessable: fc.boolean(),
  claim: fc.constantFrom('c', 'd'),
})
const anyEvidence = fc
  .tuple(fc.array(anyRow, { maxLength: 6 }), fc.constantFrom<Claim['kind']>('change', 'keep'), fc.boolean())
  .map(([rows, kind, found]) => ({
    rows,
    more: { claims: [claim('c', kind), claim('d')], findings: found ? [finding] : [] },
  }))
const rank = { refuted: 0, unverifiable: 1, verified: 2 } as const

test.prop([anyEvidence])('nothing is verified by silence or with a finding', ({ rows, more }) => {
  const result = verdictsOf(evidence(rows, more))
  if (result.verdict !== 'verified') return
  expect(more.findings).toEqual([])
  for (const one of result.claims) expect(one.evidence.length).toBeGreaterThan(0)
  const deciding = rows.filter(
    ({ role, state }) => state === 'valid' && (role === 'behaviour' || role === 'guard'),
  )
  expect(deciding.every((row) => row.result === 'pass')).toBe(true)
})

test.prop([
  anyEvidence,
  fc.constantFrom<Row['result']>('fail', 'unstable', 'missing', 'none'),
  fc.constantFrom<Role>('behaviour', 'guard'),
])('another valid row that does not pass never makes a verdict better', ({ rows, more }, result, role) => {
  const before = verdictsOf(evidence(rows, more)).verdict
  const after = verdictsOf(evidence([...rows, { role, result, claim: 'c' }], more)).verdict
  expect(rank[after]).toBeLessThanOrEqual(rank[before])
})

test.prop([anyEvidence])('a finding never makes a verdict better', ({ rows, more }) => {
  const before = verdictsOf(evidence(rows, { ...more, findings: [] })).verdict
  const after = verdictsOf(evidence(rows, { ...more, findings: [finding] })).verdict
  expect(rank[after]).toBeLessThanOrEqual(rank[before])
})

describe('a judge that gave no answer', () => {
  const seen: Observation = { outcome: 'returned', value: 1, steps: [] }
  const unanswered = (role: Role): Evidence => {
    const made = evidence([pass('behaviour'), { role, result: 'missing', observation: seen }])
    return {
      ...made,
      rows: made.rows.map((row) =>
        row.result === 'missing'
          ? { ...row, runs: [{ observation: seen, pass: false, unanswered: true }] }
          : row,
      ),
    }
  }
  it('leaves its claim unverifiable and says so: it refutes nothing', () => {
    const { verdict, claims } = verdictsOf(unanswered('behaviour'))
    expect(verdict).toBe('unverifiable')
    expect(claims[0]?.missing).toContain('a judge that answers')
  })
  it('about an advisory decides nothing', () => {
    expect(verdictsOf(unanswered('advisory')).verdict).toBe('verified')
  })
})
