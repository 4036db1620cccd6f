import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { checkSetSchema, type CheckSet } from '../specs/check-set.ts'
import { digestOf } from '../specs/digest.ts'
import { sealSchema, type Admission } from '../specs/seal.ts'
import { sealCheckSet, verifySeal } from './seal.ts'
import { filesOf, returned, treeOf } from './testing/examiner.ts'

const REQUEST = 'title() must trim'
const FILES = { 'checks.json': '{}', 'scenarios/title.mjs': 'export default () => 1' }

const set: CheckSet = {
  document: checkSetSchema.parse({
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
  }),
  files: filesOf(FILES),
}
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
      expect(verifySeal(sealOf(), { ...set, files: changed })).toEqual([`${path} is not what was sealed`])
    },
  )
})

describe('verifySeal', () => {
  const seal = sealOf()
  const without = filesOf({ 'checks.json': '{}' })
  it('finds nothing in what was sealed', () => expect(verifySeal(seal, set, REQUEST)).toEqual([]))
  it.each<[string, readonly string[], string]>([
    ['another request', verifySeal(seal, set, 'x'), 'the request is not the sealed one'],
    [
      'a file that is gone',
      verifySeal(seal, { ...set, files: without }),
      'scenarios/title.mjs was sealed and is missing',
    ],
    [
      'a file that was not there',
      verifySeal(seal, { ...set, files: filesOf({ ...FILES, 'judges/j.mjs': '' }) }),
      'judges/j.mjs was not sealed',
    ],
    [
      'other claims',
      verifySeal(seal, { ...set, document: { ...set.document, claims: [] } }),
      'the claims are not the sealed ones',
    ],
    [
      'other rows',
      verifySeal(seal, { ...set, document: { ...set.document, checks: [] } }),
      'the rows are not the sealed ones',
    ],
    [
      'a manifest that was changed',
      verifySeal({ ...seal, manifest: { ...seal.manifest, author: 'other' } }, set),
      'the manifest is not what the seal was made of',
    ],
    [
      'an admission of other rows',
      verifySeal({ ...seal, admission: { ...admission, rows: [] } }, set),
      'the admission is not of the sealed rows',
    ],
    [
      'a set that was not admitted',
      verifySeal({ ...seal, admission: { ...admission, admitted: false } }, set),
      'the set was not admitted',
    ],
  ])('finds %s', (_name, problems, problem) => expect(problems).toEqual([problem]))
})
