import { describe, expect, it } from 'vitest'
import { Fault } from '../specs/fault.ts'
import type { Author, HandIn, Reply } from './authors/author.ts'
import { makeSeal, type MakeSealRequest, type OracleTry } from './make-seal.ts'
import { digestOfBytes } from '../specs/digest.ts'
import { verifySeal } from '../specs/verify-seal.ts'
import {
  ExaminerInMemory,
  filesOf,
  returned,
  treeOf,
  treesOf,
  trivialProductsForTests,
  verdictsForTests,
  type Product,
} from './testing/examiner.ts'
import { validateExpectationForTests } from './testing/patterns.ts'

const REQUEST = 'The function must trim both ends. All else stays as it is.'
const products: Readonly<Record<string, Product>> = {
  base: ({ input }) => returned(String(input)),
  right: ({ input }) => returned(String(input).trim()),
}

const both = { id: 'both', input: ' a ', expect: { returns: 'a' } }
const already = { id: 'already', input: 'a', expect: { returns: 'a' } }
function handIn(cases: readonly unknown[], trials: readonly unknown[] = []): HandIn {
  const check = { claim: 'trim', role: 'behaviour', scenario: 'scenarios/a.mjs' }
  const document = {
    version: 1,
    claims: [
      { id: 'trim', kind: 'change', statement: 's', spec_ref: 'must trim both ends' },
      { id: 'rest', kind: 'keep', statement: 's', spec_ref: 'All else stays as it is' },
    ],
    checks: [
      { ...check, id: 'title', cases },
      { ...check, id: 'plain', claim: 'rest', role: 'guard', input: 'a', expect: { asBase: true } },
    ],
    trials,
  }
  const files = { 'checks.json': JSON.stringify(document), 'scenarios/a.mjs': '', 'trials/a.diff': 'base' }
  return { kind: 'handed-in', files: filesOf(files), log: 'the end of stderr' }
}
const trial = { id: 'same', diff: 'trials/a.diff', expect: 'refuted' }

/** Hands in one thing after another, and keeps what it was told. */
function authorOf(handIns: readonly HandIn[], hearsReasons = true) {
  const replies: (Reply | undefined)[] = []
  const author: Author = {
    label: 'in turn',
    hearsReasons,
    handIn: ({ reply }) => {
      replies.push(reply)
      const next = handIns[replies.length - 1]
      return next === undefined ? Promise.reject(new Error('asked too often')) : Promise.resolve(next)
    },
  }
  return { author, replies }
}

async function sealWith(
  author: Author,
  change: Partial<MakeSealRequest> = {},
  examiner = new ExaminerInMemory(products),
) {
  const tried: OracleTry[] = []
  const outcome = await makeSeal(
    {
      author,
      request: REQUEST,
      base: treeOf('base'),
      imageId: 'sha256:image',
      tries: 2,
      admissionRuns: 2,
      trialRuns: 1,
      nonceSeed: 'ab'.repeat(32),
      orderSeed: 1,
      signal: new AbortController().signal,
      onTry: (one) => void tried.push(one),
      ...change,
    },
    {
      examiner,
      trees: treesOf(products),
      trivialProducts: trivialProductsForTests,
      validateExpectation: validateExpectationForTests,
      verdictsOf: verdictsForTests,
    },
  )
  return { outcome, tried }
}

describe('makeSeal', () => {
  it('seals a set that is admitted at once, and does not ask again', async () => {
    const { author, replies } = authorOf([handIn([both])])
    const { outcome, tried } = await sealWith(author)
    if (outcome.kind !== 'sealed') throw new Error(outcome.reasons.join('\n'))
    expect(verifySeal(outcome.seal, outcome.checkSet, { request: digestOfBytes(REQUEST) })).toEqual([])
    expect(outcome.seal.manifest.baseObservations['title#both']).toEqual(returned(' a '))
    expect(tried).toEqual([{ try: 1, outcome: 'admitted', reasons: [], log: 'the end of stderr' }])
    expect(replies).toEqual([undefined])
  })

  it('gives the reasons back, and seals the second set', async () => {
    const { author, replies } = authorOf([handIn([both, already]), handIn([both])])
    const { outcome, tried } = await sealWith(author)
    expect(outcome).toMatchObject({ kind: 'sealed', tries: 2, seal: { admission: { rows: { length: 2 } } } })
    expect(tried.map((one) => one.outcome)).toEqual(['not-admitted', 'admitted'])
    expect(replies[1]?.reasons).toEqual([
      'checks[0].cases[1] (title#already): behaviour is void, already-passes-on-base: base already does this (observed returned {"value":"a"}); what base already meets is a guard',
    ])
    expect(replies[1]?.admission?.rows).toHaveLength(3)
  })

  it('gives the problems of an unreadable set back', async () => {
    const { author, replies } = authorOf([handIn([{ id: 'x' }]), handIn([both])])
    const { tried } = await sealWith(author)
    expect(tried.map((one) => one.outcome)).toEqual(['unreadable', 'admitted'])
    expect(replies[1]).toEqual({
      try: 1,
      reasons: ['checks.json: checks[0].cases[0]: has neither expect nor judge: expected one of them'],
    })
  })

  it('drops a void row when no try remains, with a flag', async () => {
    const { author } = authorOf([handIn([both, already])], false)
    const { outcome } = await sealWith(author)
    if (outcome.kind !== 'sealed') throw new Error(outcome.reasons.join('\n'))
    expect(outcome.seal.admission.flags[0]).toContain('dropped: checks[0].cases[1] (title#already)')
    expect(outcome.seal.manifest.rows.map(({ state }) => state)).toEqual(['valid', 'void', 'valid'])
  })

  it('goes back to an earlier set when the last try brought none', async () => {
    const { author } = authorOf([handIn([both, already]), { kind: 'timeout', timeoutMs: 1000 }])
    const { outcome, tried } = await sealWith(author)
    expect(outcome).toMatchObject({ kind: 'sealed', seal: { admission: { rows: { length: 3 } } } })
    expect(tried.map((one) => one.outcome)).toEqual(['not-admitted', 'timeout'])
  })

  it('does not seal a set that misjudges its own trial, however often', async () => {
    const { author } = authorOf([handIn([both], [trial]), handIn([both], [trial])])
    expect((await sealWith(author)).outcome).toEqual({
      kind: 'not-admitted',
      reasons: ['trials[0] (same): trials/a.diff changes nothing: expected a diff against base'],
      gap: 'spec',
      tries: 2,
    })
  })

  it.each<[HandIn, string]>([
    [{ kind: 'nothing' }, 'no set was handed in: the checks folder is empty'],
    [{ kind: 'timeout', timeoutMs: 5000 }, 'no set was handed in within 5000 ms'],
    [{ kind: 'limit', limit: 'memory' }, "the author's box ran into its memory limit"],
    [{ kind: 'refused', reason: '"a": a link' }, '"a": a link'],
  ])('says why there is no set: %o', async (none, reason) => {
    const { outcome, tried } = await sealWith(authorOf([none], false).author)
    expect(outcome).toEqual({ kind: 'not-admitted', reasons: [reason], gap: 'spec', tries: 1 })
    expect(tried).toEqual([{ try: 1, outcome: none.kind, reasons: [reason] }])
  })

  it('tells the author of a judge that cannot be used', async () => {
    class BrokenJudge extends ExaminerInMemory {
      override judge(): never {
        throw new Fault('oracle/judge', 'judges/j.mjs: SyntaxError')
      }
    }
    const { author } = authorOf([handIn([both])], false)
    const { outcome, tried } = await sealWith(author, {}, new BrokenJudge(products))
    expect(outcome).toMatchObject({ kind: 'not-admitted', reasons: ['judges/j.mjs: SyntaxError'] })
    expect(tried[0]?.outcome).toBe('unusable')
  })

  it("leaves the engine's failures to the caller", async () => {
    class BrokenEngine extends ExaminerInMemory {
      override observe(): never {
        throw new Fault('infra/engine-unreachable', 'no engine')
      }
    }
    const { author } = authorOf([handIn([both])])
    await expect(sealWith(author, {}, new BrokenEngine(products))).rejects.toMatchObject({
      code: 'infra/engine-unreachable',
    })
  })
})
