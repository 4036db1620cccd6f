import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { checkSetSchema, type CheckSet } from '../specs/check-set.ts'
import { digestOf, digestOfBytes } from '../specs/digest.ts'
import { sealSchema, type Admission } from '../specs/seal.ts'
import { verifySeal, type SealExpectation } from '../specs/verify-seal.ts'
import { sealCheckSet } from './seal.ts'
import { filesOf, returned, treeOf } from './testing/examiner.ts'

const REQUEST = 'title() must trim'
const CHECKS = {
  version: 1,
  claims: [{ id: 'trim', kind: 'change', statement: 's', spec_ref: 'must trim' }],
  checks: [
    {
      id: 'ends',
      claim: 'trim',
      role: 'behaviour',
      scenario: 'scenarios/title.mjs',
      expect: { returns: 1 },
    },
  ],
}
const FILES = { 'checks.json': JSON.stringify(CHECKS), 'scenarios/title.mjs': 'export default () => 1' }

const set: CheckSet = { document: checkSetSchema.parse(CHECKS), files: filesOf(FILES) }
const admission: Admission = {
  admitted: true,
  reasons: [],
  flags: [],
  rows: [
    {
      row: 'ends',
      check: 'ends',
      claim: 'trim',
      role: 'behaviour',
      split: 'feedback',
      state: 'valid',
      guessable: false,
      missingOnBase: false,
    },
  ],
  trials: [],
  unverifiable: [],
}
const sealOf = (change: Partial<Parameters<typeof sealCheckSet>[0]> = {}) =>
  sealCheckSet({
    set,
    request: REQUEST,
    base: treeOf('base'),
    imageId: 'sha256:image',
    runner: digestOf('runner'),
    admission,
    baseObservations: { ends: returned(2) },
    author: 'files',
    nonceSeed: '0'.repeat(64),
    ...change,
  })

describe('a seal', () => {
  it('has the form of the format, and lists every file with its digest', () => {
    const seal = sealOf()
    expect(sealSchema.parse(seal)).toEqual(seal)
    expect(Object.keys(seal.manifest.files).sort()).toEqual(['checks.json', 'scenarios/title.mjs'])
  })

  it('is the same for the same arguments', () => expect(sealOf()).toEqual(sealOf()))

  it.each<[string, Parameters<typeof sealOf>[0]]>([
    ['the request', { request: `${REQUEST}.` }],
    ['base', { base: treeOf('other') }],
    ['the image', { imageId: 'sha256:other' }],
    ['the runner', { runner: digestOf('other') }],
    ['the author', { author: 'other' }],
    ['the nonce seed', { nonceSeed: '1'.repeat(64) }],
    ['what base showed', { baseObservations: { ends: returned(3) } }],
    [
      'a row',
      { admission: { ...admission, rows: admission.rows.map((row) => ({ ...row, guessable: true })) } },
    ],
    ['a file more', { set: { ...set, files: filesOf({ ...FILES, 'judges/j.mjs': '' }) } }],
  ])('is another for another %s', (_name, change) => expect(sealOf(change).seal).not.toBe(sealOf().seal))

  const paths = ['checks.json', 'scenarios/title.mjs'] as const
  test.prop([fc.constantFrom(...paths), fc.nat(), fc.integer({ min: 1, max: 255 })])(
    'is another, and says so, when any byte of any file changes',
    (path, at, flip) => {
      const changed = filesOf(FILES)
      const bytes = changed.get(path)!
      const index = at % bytes.length
      bytes[index] = bytes[index]! ^ flip
      expect(sealOf({ set: { ...set, files: changed } }).seal).not.toBe(sealOf().seal)
      expect(found(sealOf(), { ...set, files: changed })).toContain(`${path} is not what was sealed`)
    },
  )
})

function found(...asked: Parameters<typeof verifySeal>): readonly string[] {
  return verifySeal(...asked).map(({ what }) => what)
}

describe('verifySeal', () => {
  const seal = sealOf()
  const without = filesOf({ 'checks.json': FILES['checks.json'] })
  const right: SealExpectation = {
    seal: seal.seal,
    request: digestOfBytes(REQUEST),
    base: treeOf('base'),
    image: 'sha256:image',
    runner: digestOf('runner'),
  }
  it('finds nothing in what was sealed', () => expect(verifySeal(seal, set, right)).toEqual([]))
  it.each<[string, readonly string[], string]>([
    [
      'a file that is gone',
      found(seal, { ...set, files: without }),
      'scenarios/title.mjs was sealed and is missing',
    ],
    [
      'a file that was not there',
      found(seal, { ...set, files: filesOf({ ...FILES, 'judges/j.mjs': '' }) }),
      'judges/j.mjs was not sealed',
    ],
    [
      'other claims',
      found(seal, { ...set, document: { ...set.document, claims: [] } }),
      'the claims are not the sealed ones',
    ],
    [
      'other rows',
      found(seal, { ...set, document: { ...set.document, checks: [] } }),
      'the rows are not the sealed ones',
    ],
    [
      'a document that its checks.json does not say',
      found(seal, {
        ...set,
        document: {
          ...set.document,
          trials: [],
          unverifiable: [{ claim: 'trim', missing: 'm', gap: 'spec' }],
        },
      }),
      'the check set is not what its checks.json says',
    ],
    [
      'a manifest that was changed',
      found({ ...seal, manifest: { ...seal.manifest, author: 'other' } }, set),
      'the manifest is not what the seal was made of',
    ],
    [
      'an admission of other rows',
      found({ ...seal, admission: { ...admission, rows: [] } }, set),
      'the admission is not of the sealed rows',
    ],
    [
      'a set that was not admitted',
      found({ ...seal, admission: { ...admission, admitted: false } }, set),
      'the set was not admitted',
    ],
    [
      'a set that holds together but is not the one that the journal names',
      found(sealOf({ author: 'somebody else' }), set, right),
      `the seal is ${sealOf({ author: 'somebody else' }).seal}, recorded was ${seal.seal}`,
    ],
  ])('finds %s', (_name, problems, problem) => expect(problems).toContain(problem))

  it.each<[string, SealExpectation]>([
    ['request', { request: digestOfBytes('x') }],
    ['base', { base: treeOf('other') }],
    ['image', { image: 'sha256:other' }],
    ['runner', { runner: digestOf('other') }],
  ])('calls a set stale that was sealed for another %s', (field, expected) =>
    expect(verifySeal(seal, set, { ...right, ...expected })).toMatchObject([
      { kind: 'stale', what: expect.stringContaining(`sealed for ${field} `) as unknown },
    ]),
  )
})
