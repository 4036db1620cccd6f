import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { problemLine, problemLines } from './pure/problem.ts'
import { CHECK_SET_CAPS, readCheckSet } from './read-check-set.ts'
import { validateExpectationForTests } from './testing/patterns.ts'

const REQUEST = `# Trim the title

The function \`title()\` must drop white space at **both ends** of its argument.

- An empty argument gives "untitled".
- Other functions stay as they are.
`

type Json = Record<string, unknown>
const claim = { id: 'trim', kind: 'change', statement: 'title trims', spec_ref: 'white space at both ends' }
const keep = {
  id: 'rest',
  kind: 'keep',
  statement: 'rest stays',
  spec_ref: 'Other functions stay as they are.',
}
const check = {
  id: 'both-ends',
  claim: 'trim',
  role: 'behaviour',
  scenario: 'scenarios/title.mjs',
  input: ' a ',
  expect: { returns: 'a' },
}
const guard = { ...check, id: 'other', claim: 'rest', role: 'guard', expect: { asBase: true } }
const command = {
  argv: ['node', '{tree}/cli.js'],
  files: { 'in/a.txt': 'a' },
  observe: ['out.txt', '{tree}/log'],
}
const bare = { ...check, scenario: undefined, input: undefined }

const text = (value: string) => new TextEncoder().encode(value)
function read(document: Json | string, more: Readonly<Record<string, string>> = {}) {
  const files = new Map(
    Object.entries({
      'checks.json': typeof document === 'string' ? document : JSON.stringify(document),
      'scenarios/title.mjs': 'export default ({ input }) => input',
      'judges/j.mjs': '',
      'trials/right.diff': '',
      ...more,
    }).map(([path, content]) => [path, text(content)] as const),
  )
  return readCheckSet(files, { request: REQUEST, validateExpectation: validateExpectationForTests })
}
const set = (change: Json = {}) => ({ version: 1, claims: [claim, keep], checks: [check, guard], ...change })
const withCheck = (change: Json) => set({ checks: [{ ...check, ...change }, guard] })
function linesOf(outcome: ReturnType<typeof read>) {
  return outcome.kind === 'read' ? [] : outcome.problems.map(problemLine)
}

describe('readCheckSet accepts', () => {
  it.each<[string, Json]>([
    ['a behaviour and a guard', set()],
    ['a judge instead of an expectation', withCheck({ expect: undefined, judge: 'judges/j.mjs' })],
    ['a command', set({ checks: [{ ...bare, command }, guard] })],
    [
      'rows of a command that change a part of it',
      set({
        checks: [{ ...bare, command, cases: [{ id: 'x', input: { argv: ['ls'], files: { b: 'b' } } }] }],
      }),
    ],
    ['a guard on a claim that asks for a change', set({ checks: [{ ...check, role: 'guard' }, guard] })],
    ['a behaviour of a claim that asks to keep something', withCheck({ claim: 'rest' })],
    ['a canary without a claim', set({ checks: [{ ...check, claim: undefined, role: 'canary' }, guard] })],
    [
      'an expectation on each row alone',
      withCheck({ expect: undefined, cases: [{ id: 'x', expect: { returns: 1 } }] }),
    ],
    [
      'an expectation of the check for each row',
      withCheck({
        cases: [
          { id: 'x', input: 1 },
          { id: 'y', input: 2 },
        ],
      }),
    ],
    ['a row about another claim', withCheck({ role: 'guard', cases: [{ id: 'x', claim: 'rest' }] })],
    [
      'an unverifiable claim that only an advisory row looks at',
      set({
        checks: [guard, { ...check, role: 'advisory' }],
        unverifiable: [{ claim: 'trim', missing: 'what white space is', gap: 'spec' }],
      }),
    ],
    ['a trial', set({ trials: [{ id: 'right', diff: 'trials/right.diff', expect: 'verified' }] })],
    [
      'names of files as a pattern',
      withCheck({ expect: { exits: { files: { d: { $directory: ['a'] } } } } }),
    ],
    ['data with the key __proto__', withCheck({ input: JSON.parse('{"__proto__":{"a":1}}') as Json })],
  ])('%s', (_name, document) => expect(linesOf(read(document))).toEqual([]))
})

describe('readCheckSet refuses, naming file, place and what was expected:', () => {
  it.each<[string, Json | string, string]>([
    ['no JSON', '{', 'checks.json: 1:2: expected a string in double quotes'],
    ['a key twice', '{"version":1,"version":1}', 'checks.json: 1:14: the key "version" stands twice'],
    ['an unknown key', set({ extra: 1 }), 'checks.json: unknown key "extra"'],
    ['another version', set({ version: 2 }), 'checks.json: version: expected 1'],
    ['no claims', set({ claims: [] }), 'checks.json: claims: expected array to have >=1 items'],
    [
      'an id with capitals',
      withCheck({ id: 'Both' }),
      'checks.json: checks[0].id: expected lower-case letters, digits, dots, hyphens and underscores, at most 64, the first a letter or digit',
    ],
    [
      'a scenario outside its folder',
      withCheck({ scenario: 'scenarios/../judges/j.mjs' }),
      'checks.json: checks[0].scenario: expected a path below scenarios/, without ..',
    ],
    [
      'an unknown expectation',
      withCheck({ expect: { return: 1 } }),
      'checks.json: checks[0].expect: expected exactly one of returns, throws, exits, outcome, steps, any, all, not, asBase',
    ],
    [
      'an unknown expectation in a list',
      withCheck({ expect: { any: [{ returns: 1 }, { gives: 1 }] } }),
      'checks.json: checks[0].expect.any[1]: expected exactly one of returns, throws, exits, outcome, steps, any, all, not, asBase',
    ],
    [
      'an unknown key in an expectation',
      withCheck({ expect: { exits: { cod: 1 } } }),
      'checks.json: checks[0].expect.exits: unknown key "cod"',
    ],
    [
      'a pattern that is none',
      withCheck({ expect: undefined, cases: [{ id: 'x', expect: { returns: { $matches: '(' } } }] }),
      'checks.json: checks[0].cases[0].expect.returns.$matches: not a regular expression',
    ],
    [
      'a pattern that is none, deep in lists and files',
      withCheck({ expect: { not: { all: [{ exits: { files: { 'a b': { $what: 1 } } } }] } } }),
      'checks.json: checks[0].expect.not.all[0].exits.files["a b"].$what: no operator',
    ],
    [
      'neither scenario nor command',
      withCheck({ scenario: undefined }),
      'checks.json: checks[0]: expected scenario, command, service with scenario, or suite; found none of them',
    ],
    [
      'scenario and command',
      set({ checks: [{ ...bare, scenario: 'scenarios/title.mjs', command }] }),
      'checks.json: checks[0]: expected scenario, command, service with scenario, or suite; found scenario + command',
    ],
    [
      'a service without a scenario',
      withCheck({ scenario: undefined, service: { argv: ['a'], ready: { port: 8080 } } }),
      'checks.json: checks[0]: expected scenario, command, service with scenario, or suite; found service',
    ],
    [
      'a check without a claim',
      withCheck({ claim: undefined }),
      'checks.json: checks[0]: a behaviour names the claim it is about',
    ],
    [
      'a claim that is not there',
      withCheck({ claim: 'no' }),
      'checks.json: checks[0].claim: there is no claim "no"',
    ],
    [
      "a row's claim that is not there",
      withCheck({ cases: [{ id: 'x', claim: 'no' }] }),
      'checks.json: checks[0].cases[0].claim: there is no claim "no"',
    ],
    [
      'a canary with a claim',
      withCheck({ role: 'canary' }),
      'checks.json: checks[0].claim: a canary settles no claim: leave it out',
    ],
    [
      'neither expect nor judge',
      withCheck({ expect: undefined }),
      'checks.json: checks[0]: has neither expect nor judge: expected one of them',
    ],
    [
      'a row with neither',
      withCheck({ expect: undefined, cases: [{ id: 'x', expect: { returns: 1 } }, { id: 'y' }] }),
      'checks.json: checks[0].cases[1]: has neither expect nor judge: expected one of them',
    ],
    [
      'both expect and judge',
      withCheck({ judge: 'judges/j.mjs' }),
      'checks.json: checks[0]: has both expect and judge: expected one of them',
    ],
    [
      'asBase in a behaviour',
      withCheck({ expect: { any: [{ asBase: true }] } }),
      'checks.json: checks[0].expect.any[0].asBase: a behaviour cannot expect what base does: expected a guard',
    ],
    [
      'a scenario that is not there',
      withCheck({ scenario: 'scenarios/no.mjs' }),
      'checks.json: checks[0].scenario: the set has no file scenarios/no.mjs',
    ],
    [
      'a scenario that no host runs',
      withCheck({ scenario: 'scenarios/a.sh' }),
      'checks.json: checks[0].scenario: expected a node module (.mjs, .cjs, .js) or a Python file (.py)',
    ],
    [
      'a judge that is not there',
      withCheck({ expect: undefined, judge: 'judges/no.mjs' }),
      'checks.json: checks[0].judge: the set has no file judges/no.mjs',
    ],
    [
      'a judge that is no module',
      withCheck({ expect: undefined, judge: 'judges/j.py' }),
      'checks.json: checks[0].judge: expected a node module (.mjs, .cjs, .js)',
    ],
    [
      'a trial whose diff is not there',
      set({ trials: [{ id: 'a', diff: 'trials/no.diff', expect: 'refuted' }] }),
      'checks.json: trials[0].diff: the set has no file trials/no.diff',
    ],
    [
      'two checks of one id',
      set({ checks: [check, check] }),
      'checks.json: checks[1].id: "both-ends" is already the id of [0]',
    ],
    [
      'two rows of one id',
      withCheck({ cases: [{ id: 'x' }, { id: 'x' }] }),
      'checks.json: checks[0].cases[1].id: "x" is already the id of [0]',
    ],
    [
      'a quotation that the request does not hold',
      set({ claims: [{ ...claim, spec_ref: 'white space at either end' }, keep] }),
      'checks.json: claims[0].spec_ref: not found in the request: expected words of it, two or more, as they stand',
    ],
    [
      'a row of a command whose input is no part of it',
      set({ checks: [{ ...bare, command, cases: [{ id: 'x', input: { args: [] } }] }] }),
      'checks.json: checks[0].cases[0].input: unknown key "args" (the input of a command\'s row holds argv, stdin, env, files, observe)',
    ],
    [
      'a file of a command outside its folder',
      set({ checks: [{ ...bare, command: { ...command, files: { '../a': '' } } }] }),
      'checks.json: checks[0].command.files["../a"]: expected a relative path without ..',
    ],
    [
      'an observed path outside its folder',
      set({ checks: [{ ...bare, command: { ...command, observe: ['{tree}/../x'] } }] }),
      'checks.json: checks[0].command.observe[0]: expected a relative path without ..',
    ],
    [
      'an unverifiable claim that is not there',
      set({ unverifiable: [{ claim: 'no', missing: 'x', gap: 'spec' }] }),
      'checks.json: unverifiable[0].claim: there is no claim "no"',
    ],
    [
      'an unverifiable claim that a row decides',
      set({ unverifiable: [{ claim: 'trim', missing: 'x', gap: 'spec' }] }),
      'checks.json: unverifiable[0].claim: trim has a behaviour or guard row that decides it: expected none',
    ],
    [
      'half a surrogate pair in a statement',
      JSON.stringify(set({ claims: [{ ...claim, statement: 'a\ud800' }, keep] })),
      'checks.json: claims[0].statement: half a surrogate pair',
    ],
    [
      'a file by the name __proto__, which a schema would drop',
      `{"version":1,"claims":[${JSON.stringify(keep)}],"checks":[{"id":"a","claim":"rest","role":"guard","command":{"argv":["a"],"files":{"__proto__":"x"}},"expect":{"asBase":true}}]}`,
      'checks.json: checks[0].command.files.__proto__: a key that cannot stand here',
    ],
  ])('%s', (_name, document, line) => expect(linesOf(read(document))).toEqual([line]))

  it.each([
    ['README.md'],
    ['scenarios/a b.mjs'],
    ['scenarios/../x.mjs'],
    ['scenarios//x.mjs'],
    ['scenarios/./x.mjs'],
    ['scenarios/x/'],
    ['scenarios'],
    ['/scenarios/x.mjs'],
    ['other/checks.json'],
    ['scenarios/\u001b[2J'],
  ])('a file at %j', (path) => {
    expect(linesOf(read(set(), { [path]: '' }))).toEqual([
      `${JSON.stringify(path)}: expected checks.json, or a file below scenarios/, judges/, suites/ or trials/ named in A-Z a-z 0-9 . _ - only`,
    ])
  })

  it('a set without checks.json', () => {
    const outcome = readCheckSet(new Map(), {
      request: REQUEST,
      validateExpectation: validateExpectationForTests,
    })
    expect(linesOf(outcome)).toEqual([
      'checks.json: missing: expected a JSON document that lists claims and checks',
    ])
  })

  it('a file over the cap, by its size', () => {
    const outcome = read(set(), { 'scenarios/big.mjs': ' '.repeat(CHECK_SET_CAPS.fileBytes + 1) })
    expect(linesOf(outcome)).toEqual(['"scenarios/big.mjs": 5000001 bytes: at most 5000000'])
  })
})

describe('problems', () => {
  it('are all listed, up to twenty, and then counted', () => {
    const outcome = read(
      set({ checks: Array.from({ length: 30 }, (_, index) => ({ ...check, id: `c${index}`, claim: 'no' })) }),
    )
    const lines = outcome.kind === 'refused' ? problemLines(outcome.problems) : []
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('and 10 more')
  })
})

describe('reading', () => {
  const options = { request: REQUEST, validateExpectation: validateExpectationForTests }
  test.prop([fc.dictionary(fc.oneof(fc.constant('checks.json'), fc.string()), fc.uint8Array())])(
    'never throws on arbitrary bytes',
    (files) => {
      expect(readCheckSet(new Map(Object.entries(files)), options).kind).toBe('refused')
    },
  )
  test.prop([fc.jsonValue()])('never throws on arbitrary JSON', (value) => {
    expect(read(JSON.stringify(value)).kind).toBe('refused')
  })
  const leaves = ['claims', 'checks', 'unverifiable', 'trials'] as const
  test.prop([fc.constantFrom(...leaves), fc.jsonValue()])(
    'never throws on a set with one part replaced',
    (part, value) => {
      expect(['read', 'refused']).toContain(read(set({ [part]: value })).kind)
    },
  )
})
