import { describe, expect, it } from 'vitest'
import { checkSetSchema, type CheckSet } from '../../specs/check-set.ts'
import { filesOf } from '../testing/examiner.ts'
import { embeddedAnswers, overSpecified } from './answers.ts'

const REQUEST = 'encode() must give "abc-defg-hij" for 1. A bad number throws "not a number at all".'

function setOf(checks: readonly object[], scenario: string): CheckSet {
  const document = checkSetSchema.parse({
    version: 1,
    claims: [{ id: 'c', kind: 'change', statement: 's', spec_ref: 'r' }],
    checks: checks.map((check) => ({ claim: 'c', role: 'behaviour', scenario: 'scenarios/a.mjs', ...check })),
  })
  return { document, files: filesOf({ 'scenarios/a.mjs': scenario, 'judges/j.mjs': 'load("./inside.js")' }) }
}
const SECRET = 'klm-nopq-rst'
const CALL = 'export default async ({ load, input }) => (await load(".")).encode(input)'

describe('an answer in the half that the product sees', () => {
  it.each<[string, object, string, RegExp]>([
    [
      'is a text that the scenario holds',
      { expect: { returns: SECRET } },
      `// ${SECRET}`,
      /answer-embedded: scenarios\/a\.mjs holds "klm-nopq-rst", which a expects/,
    ],
    [
      'in one place of a value',
      { expect: { returns: { $like: { b: [SECRET] } } } },
      `x = '${SECRET}'`,
      /a\.mjs holds/,
    ],
    ['a number', { expect: { returns: 48213 } }, 'if (x === 48213) y()', /holds 48213/],
    ['with escapes', { expect: { returns: 'line 1\nline 2' } }, 'const wanted = "line 1\\nline 2"', /holds/],
    [
      'in one of two expectations',
      { expect: { any: [{ returns: 1 }, { returns: SECRET }] } },
      SECRET,
      /holds/,
    ],
    ['in a step', { expect: { steps: [{ name: 'x', value: SECRET }] } }, SECRET, /holds/],
    [
      'in the input',
      { input: ['x', SECRET], expect: { returns: SECRET } },
      CALL,
      /the input of a holds "klm-nopq-rst", which it expects$/,
    ],
  ])('%s', (_, check, scenario, line) => {
    expect(embeddedAnswers(setOf([{ id: 'a', ...check }], scenario), REQUEST).join('\n')).toMatch(line)
  })

  it.each<[string, object, string]>([
    ['not what the request states', { expect: { returns: 'abc-defg-hij' } }, 'x = "abc-defg-hij"'],
    ['not a word', { expect: { returns: 'refused' } }, 'return "refused"'],
    ['not a row of dashes', { expect: { returns: '----------' } }, '// ----------'],
    ['not a small number', { expect: { returns: 42 } }, 'input > 42'],
    ['not a part of a longer number', { expect: { returns: 48213 } }, '148213.5'],
    ['not what a regular expression describes', { expect: { returns: { $matches: SECRET } } }, SECRET],
    ['not what must not come', { expect: { not: { returns: SECRET } } }, SECRET],
    [
      'not what a guard puts in and takes out',
      { role: 'guard', input: SECRET, expect: { returns: SECRET } },
      CALL,
    ],
    ['not a value of a canary', { role: 'canary', claim: undefined, expect: { returns: SECRET } }, SECRET],
  ])('%s', (_, check, scenario) => {
    expect(embeddedAnswers(setOf([{ id: 'a', ...check }], scenario), REQUEST)).toEqual([])
  })

  it('of many rows are counted', () => {
    const inInputs = ['a', 'b', 'c'].map((id) => ({
      id,
      input: SECRET + id,
      expect: { returns: SECRET + id },
    }))
    expect(embeddedAnswers(setOf(inInputs, CALL), REQUEST)).toEqual([
      'answer-embedded: the input of a holds "klm-nopq-rsta", which it expects, and so do 2 more rows',
    ])
    const texts = Array.from({ length: 9 }, (_, n) => `${SECRET}-${n}`)
    const many = texts.map((text, n) => ({ id: `n${n}`, expect: { returns: text } }))
    const lines = embeddedAnswers(setOf(many, texts.join()), REQUEST)
    expect(lines).toHaveLength(6)
    expect(lines.at(-1)).toBe('answer-embedded: and 4 more')
  })
})

describe('an expectation that a right change may miss', () => {
  const error = (message: unknown) => ({ expect: { throws: { $error: { name: 'TypeError', message } } } })
  it.each<[string, object, string, RegExp]>([
    [
      'is a message to the letter',
      error('expected a number, got x'),
      CALL,
      /over-specified: a expects the message "expected a number, got x" to the letter/,
    ],
    [
      'is what a command writes to stderr',
      {
        scenario: undefined,
        command: { argv: ['x'] },
        expect: { exits: { stderr: 'Error: no such file\n' } },
      },
      CALL,
      /to the letter/,
    ],
    [
      'is a way in that the request does not name',
      { expect: { returns: 1 } },
      'await load("./lib/private.js")',
      /scenarios\/a\.mjs loads \.\/lib\/private\.js, a file that the request does not name/,
    ],
  ])('%s', (_, check, scenario, line) => {
    expect(overSpecified(setOf([{ id: 'a', ...check }], scenario), REQUEST).join()).toMatch(line)
  })

  it.each<[string, object, string, string]>([
    ['not a message of the request', error('not a number at all'), CALL, REQUEST],
    ['not a pattern for a message', error({ $matches: 'expected a number, got' }), CALL, REQUEST],
    [
      'not a guard: that is as on base',
      { role: 'guard', ...error('expected a number, got x') },
      CALL,
      REQUEST,
    ],
    ['not a file that the request names', { expect: { returns: 1 } }, 'load("./lib/x.js")', 'In lib/x.js, …'],
  ])('%s', (_, check, scenario, request) => {
    expect(overSpecified(setOf([{ id: 'a', ...check }], scenario), request)).toEqual([])
  })
})
