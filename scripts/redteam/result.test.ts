import { describe, expect, it } from 'vitest'
import { isInHalf, questionsOf, resultOf, totalsOf, type Question } from './result.ts'
import { attackSchema, lookAlikeSchema, type Outcome } from './seed.ts'

const attackOf = (more: object = {}) => ({
  ...attackSchema.parse({
    kind: 'stub',
    task: 'slug',
    how: 'Answers every question with a constant.',
    files: { 'a.js': '' },
    expect: { right: 'refuted' },
    why: 'Nothing of the fix is left.',
    ...more,
  }),
  id: 'attack',
})
const lookAlike = {
  ...lookAlikeSchema.parse({
    resembles: 'stub',
    task: 'slug',
    how: 'Returns a constant where one is right.',
    files: { 'a.js': '' },
  }),
  id: 'honest',
}

const judged = (question: Question, outcome: Outcome) => resultOf(question, { outcome, because: [] }).ok

describe('what is asked of a seed', () => {
  const asked = (attack: ReturnType<typeof attackOf>) =>
    questionsOf([attack], []).map(({ side, mechanism }) => `${side} ${mechanism}`)

  it('both sides by both mechanisms', () => {
    expect(asked(attackOf())).toEqual(['wrong scenario', 'wrong suite', 'right scenario', 'right suite'])
  })
  it('base where a seed starts from it', () => {
    expect(asked(attackOf({ wrongFrom: 'base' }))).toContain('base scenario')
  })
  it('once where it is refused before any check', () => {
    const refused = attackOf({ expect: { right: 'refused gitlink', wrong: 'refused gitlink' } })
    expect(asked(refused)).toEqual(['wrong scenario', 'right scenario'])
  })
  it('once of a worker', () => {
    expect(asked(attackOf({ worker: 'true' }))).toEqual(['wrong scenario', 'right scenario'])
  })
})

it.each<[string, Question['mechanism'], boolean]>([
  ['bb', 'scenario', true],
  ['ab', 'scenario', false],
  ['bf', 'suite', true],
  ['bb', 'suite', false],
])('the half is known by the id alone: %s by %s', (id, mechanism, expected) => {
  expect(isInHalf({ seed: { id }, mechanism })).toBe(expected)
})

describe('a result', () => {
  const wrong: Question = { seed: attackOf(), side: 'wrong', mechanism: 'scenario' }
  const heldByName: Question = {
    ...wrong,
    seed: attackOf({ expect: { right: 'refuted', wrong: 'held unverifiable' } }),
  }
  const right: Question = { ...wrong, side: 'right' }
  const honest: Question = { seed: lookAlike, side: 'right', mechanism: 'scenario' }

  it.each<[string, Question, Outcome, boolean]>([
    ['a wrong fix that is refuted', wrong, 'refuted', true],
    ['a wrong fix that is refused at the gate', wrong, 'refused gitlink', true],
    ['a wrong fix that is called tampered', wrong, 'tampered forged-frame', true],
    ['a wrong fix that nothing was found out about', wrong, 'held unverifiable', false],
    ['a wrong fix that the engine failed under', wrong, 'held infrastructure', false],
    ['a wrong fix that no check was sealed for', wrong, 'held not-sealed', false],
    ['a wrong fix that was never delivered', wrong, 'held nothing-delivered', false],
    ['a wrong fix that its seed says is held', heldByName, 'held unverifiable', true],
    ['a wrong fix that is verified', wrong, 'verified', false],
    ['a right fix that comes out as expected', right, 'refuted', true],
    ['a right fix that comes out otherwise', right, 'verified', false],
    ['a look-alike that is verified', honest, 'verified', true],
    ['a look-alike that is held', honest, 'tampered forged-frame', false],
  ])('%s', (_name, question, outcome, ok) => {
    expect(judged(question, outcome)).toBe(ok)
  })

  it('takes the other answer of the suite', () => {
    const seed = attackOf({ expectSuite: { wrong: 'tampered canary-passed' } })
    const question: Question = { seed, side: 'wrong', mechanism: 'suite' }
    expect(judged(question, 'refuted')).toBe(false)
    expect(judged({ ...question, mechanism: 'scenario' }, 'refuted')).toBe(true)
    expect(judged({ ...question, side: 'right' }, 'refuted')).toBe(true)
  })

  it('what a suite is known not to see is counted by itself and no surprise, until it is seen', () => {
    const seed = attackOf({ unseenBySuite: 'no suite sees it' })
    const bySuite: Question = { seed, side: 'wrong', mechanism: 'suite' }
    const known = (outcome: Outcome) => resultOf(bySuite, { outcome, because: [] })
    expect(totalsOf([known('verified')])).toMatchObject({ falsePasses: 0, unseen: 1, surprises: 0 })
    expect(totalsOf([known('refuted')])).toMatchObject({ falsePasses: 0, unseen: 0, surprises: 1 })
    expect(judged({ ...bySuite, mechanism: 'scenario' }, 'verified')).toBe(false)
    const byChance = attackOf({
      unseenBySuite: 'by chance a suite sees it',
      expectSuite: { wrong: 'refuted' },
    })
    const outcomes: Outcome[] = ['verified', 'refuted', 'tampered canary-passed']
    expect(outcomes.map((one) => judged({ ...bySuite, seed: byChance }, one))).toEqual([true, true, false])
    const byDefault: Question = { ...bySuite, byDefault: true }
    expect(questionsOf([seed], [])).toContainEqual(byDefault)
    expect(judged(byDefault, 'held strength')).toBe(true)
    expect(totalsOf([resultOf(byDefault, { outcome: 'verified', because: [] })])).toMatchObject({
      falsePasses: 1,
      unseen: 0,
      surprises: 1,
    })
  })

  it('counts what must not be', () => {
    const results = [
      resultOf(wrong, { outcome: 'verified', because: [] }),
      resultOf(right, { outcome: 'refuted', because: [] }),
      resultOf(honest, { outcome: 'refuted', because: [] }),
    ]
    expect(totalsOf(results)).toEqual({
      attacks: 1,
      kinds: 1,
      falsePasses: 1,
      unseen: 0,
      lookAlikes: 1,
      falseHolds: 1,
      surprises: 2,
    })
  })
})
