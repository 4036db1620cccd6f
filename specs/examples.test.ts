import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkSetSchema } from './check-set.ts'
import { digestOf, digestOfBytes } from './digest.ts'
import { expandCheckSet } from './expand.ts'
import { fixtureSchema } from './fixture.ts'
import { FORMAT_NAMES, FORMATS, type FormatName } from './formats.ts'
import { gradeSchema } from './grade.ts'
import { journalLineSchema } from './journal.ts'
import { sealSchema } from './seal.ts'
import { taskSchema } from './task.ts'
import { examplesOf, fitsSchema, schemaMistakes, zodMistakes } from './testing/examples.ts'
import { mutantsOf } from './testing/mutants.ts'

describe('every valid example', () => {
  it.each(FORMAT_NAMES)('%s: zod and the JSON Schema take it', (name) => {
    const examples = examplesOf(name, 'valid')
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(zodMistakes(name, example)).toEqual([])
      expect(schemaMistakes(name, example)).toEqual([])
    }
  })
})

/** The one mistake of each invalid example: where, and what zod says. */
const MISTAKES: Readonly<Record<FormatName, readonly [string, RegExp]>> = {
  task: ['/base/version', /^expected an exact version, e\.g\. 1\.2\.3$/],
  policy: ['/workerTimeout', /^Unrecognized key: "workerTimeout"$/],
  claim: ['/spec_ref', /expected string, received undefined/],
  'check-set': ['/checks/0/role', /expected one of "behaviour"\|"guard"\|"advisory"\|"canary"/],
  expectation: ['/exits/exitCode', /^Unrecognized key: "exitCode"$/],
  observation: ['/value', /^expected JSON$/],
  seal: ['/manifest/base', /^expected a git tree id: 40 or 64 lower-case hex digits$/],
  grade: ['/rows/0/result', /expected one of "pass"\|"fail"\|"unstable"\|"missing"/],
  comparison: ['/trees', /expected array to have >=2 items/],
  decision: ['/rows', /^Unrecognized key: "rows"$/],
  journal: ['/at', /^Invalid ISO datetime$/],
  attestation: ['/predicate/verdict', /expected one of "verified"\|"refuted"\|"unverifiable"/],
  batch: ['/tasks', /expected array to have >=1 items/],
  fixture: ['/version', /expected 1$/],
}

describe('every invalid example', () => {
  it.each(FORMAT_NAMES)('%s: both refuse it, and name the place', (name) => {
    const [at, says] = MISTAKES[name]
    const [example] = examplesOf(name, 'invalid')
    expect(zodMistakes(name, example)).toContainEqual({ at, says: expect.stringMatching(says) })
    expect(schemaMistakes(name, example).map((mistake) => mistake.at)).toContain(at)
  })
})

/**
 * zod leaves out what it does not know of a format with defaults, so a document of Assay's own is held against the
 * schema as zod gives it back; what people write as they wrote it.
 */
describe('zod and the JSON Schema agree', () => {
  it.each(FORMAT_NAMES)('%s: on every small mutation of its examples', { timeout: 30_000 }, (name) => {
    const { schema, io } = FORMATS[name]
    let refused = 0
    const disagreements: string[] = []
    for (const { value, what } of examplesOf(name, 'valid').flatMap(mutantsOf)) {
      const parsed = schema.safeParse(value)
      if (!parsed.success) refused++
      const written = parsed.success && io === 'output' ? parsed.data : value
      if (fitsSchema(name, written) !== parsed.success) disagreements.push(what)
    }
    expect(disagreements).toEqual([])
    expect(refused).toBeGreaterThan(0)
  })
})

describe('the examples tell one story', () => {
  const bytes = (file: string) => readFileSync(join(import.meta.dirname, 'examples', file))
  const [task] = examplesOf('task', 'valid').map((one) => taskSchema.parse(one))
  const [set] = examplesOf('check-set', 'valid').map((one) => checkSetSchema.parse(one))
  const [seal] = examplesOf('seal', 'valid').map((one) => sealSchema.parse(one))
  const [grade] = examplesOf('grade', 'valid').map((one) => gradeSchema.parse(one))
  const [fixture] = examplesOf('fixture', 'valid').map((one) => fixtureSchema.parse(one))
  const events = examplesOf('journal', 'valid').map((one) => journalLineSchema.parse(one).body)
  const request = digestOfBytes(bytes('request.md'))
  const hint = 'run "npm run examples" after an edit'

  it('the seal is the digest of its manifest', () => {
    expect(digestOf(seal!.manifest), hint).toBe(seal!.seal)
  })
  it('the manifest is of the check set and the request', () => {
    const { manifest, admission } = seal!
    expect(manifest.request, hint).toBe(request)
    expect(manifest.claims, hint).toEqual(set!.claims)
    expect(manifest.rows, hint).toEqual(admission.rows)
    expect(manifest.rows.map(({ row }) => row)).toEqual(expandCheckSet(set!).rules.map(({ row }) => row))
    for (const [path, digest] of Object.entries(manifest.files)) {
      const file = path === 'checks.json' ? 'check-set.valid.json' : `set/${path}`
      expect(digestOfBytes(bytes(file)), `${path}: ${hint}`).toBe(digest)
    }
  })
  it('the grade is of the seal, and the journal names both', () => {
    const gradeDigest = digestOfBytes(bytes('grade.valid.json'))
    expect(grade!.seal, hint).toBe(seal!.seal)
    expect(events).toContainEqual(expect.objectContaining({ type: 'sealed', seal: seal!.seal }))
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'graded', grade: gradeDigest, verdict: grade!.verdict }),
    )
    const taskDigest = digestOf({ task, request })
    expect(events[0]).toMatchObject({ task, taskDigest, request, base: seal!.manifest.base })
  })
  it('the fixture lists the journal, the seal and the grade', () => {
    const digests = Object.values(fixture!.files)
    for (const file of ['journal.valid.jsonl', 'seal.valid.json', 'grade.valid.json', 'request.md']) {
      expect(digests, `${file}: ${hint}`).toContain(digestOfBytes(bytes(file)))
    }
  })
})
