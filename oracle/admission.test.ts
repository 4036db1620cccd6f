import { describe, expect, it } from 'vitest'
import { checkSetSchema, type CheckSet } from '../specs/check-set.ts'
import { gatherEvidence } from './admission.ts'
import { exploreTree } from './explore.ts'
import { admitRow } from './pure/admit-row.ts'
import { decideAdmission } from './pure/decide-admission.ts'
import {
  ExaminerInMemory,
  filesOf,
  returned,
  timeout,
  treeOf,
  treesOf,
  trivialProductsForTests,
  verdictsForTests,
  type Product,
} from './testing/examiner.ts'

/** title(text) must trim; base does not, `one-end` trims the start only, `slow` inputs hang on base. */
const products: Readonly<Record<string, Product>> = {
  base: ({ input }) => (input === 'slow' ? timeout : returned(String(input))),
  right: ({ input }) => returned(String(input).trim()),
  'one-end': ({ input }) => returned(String(input).trimStart()),
  flaky: ({ input }, run) => returned(run % 2 === 0 ? String(input) : ''),
}

function setOf(
  checks: readonly unknown[],
  trials: Readonly<Record<string, 'verified' | 'refuted'>> = {},
): CheckSet {
  return {
    document: checkSetSchema.parse({
      version: 1,
      claims: [
        { id: 'trim', kind: 'change', statement: 's', spec_ref: 'r' },
        { id: 'rest', kind: 'keep', statement: 's', spec_ref: 'r' },
      ],
      checks,
      trials: Object.entries(trials).map(([id, ought]) => ({ id, diff: `trials/${id}.diff`, expect: ought })),
    }),
    files: filesOf(Object.fromEntries(Object.keys(trials).map((id) => [`trials/${id}.diff`, id]))),
  }
}
const trim = {
  id: 'trim',
  claim: 'trim',
  role: 'behaviour',
  scenario: 'scenarios/title.mjs',
  cases: [
    { id: 'both', input: ' a ', expect: { returns: 'a' } },
    { id: 'left', input: ' a', expect: { returns: 'a' } },
  ],
}
const plain = {
  ...trim,
  id: 'plain',
  claim: 'rest',
  role: 'guard',
  cases: [{ id: 'word', input: 'a', expect: { asBase: true } }],
}

function request(set: CheckSet, base = 'base') {
  const { signal } = new AbortController()
  return { set, base: treeOf(base), runs: 3, trialRuns: 2, orderSeed: 7, nonceSeed: 'a'.repeat(64), signal }
}
function portsFor(examiner = new ExaminerInMemory(products)) {
  return { examiner, trees: treesOf(products), trivialProducts: trivialProductsForTests }
}
async function admissionOf(set: CheckSet, base = 'base') {
  const evidence = await gatherEvidence(request(set, base), portsFor())
  return decideAdmission(evidence, { lenient: false, verdictsOf: verdictsForTests })
}

describe('admission on base', () => {
  it('admits a set that base fails, that a right trial passes and a wrong one does not', async () => {
    const admission = await admissionOf(setOf([trim, plain], { right: 'verified', 'one-end': 'refuted' }))
    expect(admission).toMatchObject({ admitted: true, reasons: [], flags: [] })
    expect(admission.trials).toEqual([
      { id: 'right', expect: 'verified', got: 'verified', failed: [] },
      { id: 'one-end', expect: 'refuted', got: 'refuted', failed: ['trim#both'] },
    ])
  })

  it('sends a set back that misses a wrong trial, and one whose right trial breaks a guard', async () => {
    const left = { ...trim, cases: trim.cases.slice(1) }
    expect((await admissionOf(setOf([left, plain], { 'one-end': 'refuted' }))).reasons).toEqual([
      'trials[0] (one-end): ought to be refuted but is verified: no row tells it from a right change',
    ])
    const spaces = { ...plain, cases: [{ id: 'space', input: 'a ', expect: { asBase: true } }] }
    expect((await admissionOf(setOf([left, spaces], { right: 'verified' }))).reasons[0]).toContain(
      'ought to be verified but is refuted: plain#space fails',
    )
  })

  it('tells an author that a trial does not apply', async () => {
    expect((await admissionOf(setOf([trim, plain], { 'no-such': 'refuted' }))).reasons).toEqual([
      'trials[0] (no-such): trials/no-such.diff does not apply to base: error: no-such: No such file',
    ])
  })

  it('captures what asBase means from the first run, and voids it where base does something else later', async () => {
    const admission = await admissionOf(setOf([plain]), 'flaky')
    expect(admission.rows).toMatchObject([{ row: 'plain#word', state: 'void', reason: 'unstable' }])
  })

  it('runs each row as often as asked, and further times of those that hang on base last and together', async () => {
    const examiner = new ExaminerInMemory(products)
    const slow = { id: 'slow', input: 'slow', expect: { returns: 'slow' } }
    const set = setOf([{ ...trim, cases: [slow, ...trim.cases] }, plain], { right: 'verified' })
    const evidence = await gatherEvidence(request(set), portsFor(examiner))
    const fast = ['trim#both', 'trim#left', 'plain#word']
    expect(examiner.calls).toEqual([
      { tree: treeOf('base'), rows: ['trim#slow', ...fast], times: 1, firstRun: 0 },
      { tree: treeOf('base'), rows: fast, times: 2, firstRun: 1 },
      { tree: treeOf('base'), rows: ['trim#slow'], times: 2, firstRun: 1 },
      { tree: treeOf('right'), rows: fast, times: 2, firstRun: 0 },
      { tree: treeOf('right'), rows: ['trim#slow'], times: 2, firstRun: 0 },
    ])
    expect(evidence.rows.map(({ runs }) => runs.length)).toEqual([3, 3, 3, 3])
    expect(evidence.baseObservations['trim#slow']).toEqual(timeout)
  })

  it('finds on a right trial that an expectation holds in the first surroundings only', async () => {
    const inUtcOnly: Product = ({ input }, run) => returned(run === 1 ? String(input).trim() : 'other')
    const examiner = new ExaminerInMemory({ ...products, right: inUtcOnly })
    const ports = { ...portsFor(examiner), trees: treesOf({ ...products, right: inUtcOnly }) }
    const evidence = await gatherEvidence(request(setOf([trim], { right: 'verified' })), ports)
    const { reasons } = decideAdmission(evidence, { lenient: true, verdictsOf: verdictsForTests })
    expect(reasons[0]).toContain('trim#both unstable')
  })

  it('applies trials and runs none when none are asked for, and says so', async () => {
    const set = setOf([trim, plain], { right: 'verified', 'no-such': 'refuted' })
    const examiner = new ExaminerInMemory(products)
    const evidence = await gatherEvidence({ ...request(set), trialRuns: 0 }, portsFor(examiner))
    expect(evidence.trials.map(({ kind }) => kind)).toEqual(['not-run', 'does-not-apply'])
    expect(examiner.calls.every(({ tree }) => tree === treeOf('base'))).toBe(true)
    const fine = { ...evidence, trials: evidence.trials.slice(0, 1) }
    const admission = decideAdmission(fine, { lenient: false, verdictsOf: verdictsForTests })
    expect(admission).toMatchObject({ admitted: true, trials: [{ id: 'right', got: 'not-run' }] })
    expect(admission.flags).toContain('the trials were not run: the policy asks for no runs of them')
  })

  it('runs no void row on a trial', async () => {
    const examiner = new ExaminerInMemory(products)
    const already = { ...trim, cases: [...trim.cases, { id: 'none', input: 'a', expect: { returns: 'a' } }] }
    await gatherEvidence(request(setOf([already, plain], { right: 'verified' })), portsFor(examiner))
    expect(examiner.calls.at(-1)?.rows).toEqual(['trim#both', 'trim#left', 'plain#word'])
  })

  it('asks a judge about trivial products too', async () => {
    const examiner = new ExaminerInMemory(products)
    examiner.judges['judges/short.mjs'] = (seen) =>
      seen.outcome === 'returned' && [0, '', 'a'].includes(seen.value as string)
    const judged = { ...trim, cases: [{ id: 'short', input: ' a ', judge: 'judges/short.mjs' }] }
    const { rows } = await gatherEvidence(request(setOf([judged])), portsFor(examiner))
    expect(rows.map(({ passedByTrivial }) => passedByTrivial)).toEqual([['0', '""']])
    expect(rows.map((row) => admitRow(row).guessable)).toEqual([true])
  })

  it('voids a behaviour whose judge answers about nothing, but not one whose judge knows some other answer', async () => {
    const examiner = new ExaminerInMemory(products)
    examiner.judges['judges/strict.mjs'] = (seen) =>
      seen.outcome === 'returned' && typeof seen.value === 'number' ? false : undefined
    const rows = ['broken', 'strict'].map((id) => ({ id, input: ' a ', judge: `judges/${id}.mjs` }))
    const evidence = await gatherEvidence(request(setOf([{ ...trim, cases: rows }])), portsFor(examiner))
    expect(evidence.rows.map((row) => admitRow(row).reason)).toEqual(['judge-silent', undefined])
  })

  it('gives a finding to its row, and one without a row to the set', async () => {
    const examiner = new ExaminerInMemory(products)
    examiner.findings = [
      { kind: 'leftover-process', row: 'trim#both', detail: 'sleep' },
      { kind: 'leftover-files', detail: '/tmp/x' },
      { kind: 'unknown-row', row: 'of nobody', detail: 'x' },
    ]
    const evidence = await gatherEvidence(request(setOf([trim, plain])), portsFor(examiner))
    expect(evidence.rows.map((row) => admitRow(row).reason)).toEqual(['incomplete', undefined, undefined])
    expect(new Set(evidence.findings.map(({ kind }) => kind))).toEqual(
      new Set(['leftover-files', 'unknown-row']),
    )
  })

  it('seals nothing of a row whose observation has no canonical form', async () => {
    const odd = { ...plain, cases: [{ id: 'half', input: '\ud83d', expect: { asBase: true } }] }
    const evidence = await gatherEvidence(request(setOf([trim, odd])), {
      ...portsFor(new ExaminerInMemory({ base: ({ input }) => returned(String(input)) })),
    })
    expect(Object.keys(evidence.baseObservations).sort()).toEqual(['trim#both', 'trim#left'])
  })
})

describe('exploring', () => {
  it('shows what a tree does in each row, in the order of the set, without an expectation', async () => {
    const set = setOf([{ ...trim, cases: trim.cases.map(({ id, input }) => ({ id, input })) }, plain])
    const { signal } = new AbortController()
    const asked = { set, tree: treeOf('one-end'), times: 1, orderSeed: 1, nonceSeed: 'a'.repeat(64), signal }
    expect((await exploreTree(asked, new ExaminerInMemory(products))).observed).toEqual([
      { row: 'trim#both', observation: returned('a ') },
      { row: 'trim#left', observation: returned('a') },
      { row: 'plain#word', observation: returned('a') },
    ])
  })
})
