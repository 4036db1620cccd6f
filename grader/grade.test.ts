import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../specs/digest.ts'
import type { Examiner } from '../specs/examiner.ts'
import type { RestoredPath } from '../specs/grade.ts'
import { sealSchema } from '../specs/seal.ts'
import { documentOf } from '../specs/verify-seal.ts'
import { gradeTree, orderSeedOf } from './grade.ts'

const examples = join(import.meta.dirname, '..', 'specs', 'examples')
const bytes = (name: string) => readFileSync(join(examples, name))
const seal = sealSchema.parse(JSON.parse(bytes('seal.valid.json').toString('utf8')))
const files = new Map<string, Uint8Array>([
  ['checks.json', bytes('check-set.valid.json')],
  ...readdirSync(join(examples, 'set'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(examples, 'set').length + 1))
    .map((path) => [path, bytes(`set/${path}`)] as const),
])
const document = documentOf(files)!

/** Counts what is asked of it and sees nothing but what was restored. */
class Blind implements Examiner {
  readonly runner: string
  readonly #restored: readonly RestoredPath[]
  asked = 0
  constructor(runner: string, restored: readonly RestoredPath[] = []) {
    this.runner = runner
    this.#restored = restored
  }
  observe() {
    this.asked += 1
    return Promise.resolve({ observed: [], findings: [], restored: this.#restored })
  }
  judge() {
    return Promise.resolve([])
  }
}

function grading(examiner: Examiner, change: Partial<Parameters<typeof gradeTree>[0]> = {}) {
  return gradeTree({
    examiner,
    seal,
    checkSet: { document, files },
    tree: 'a'.repeat(40),
    image: seal.manifest.image,
    limits: digestOf('limits'),
    repeats: 1,
    signal: new AbortController().signal,
    ...change,
  })
}

describe('the order of rows', () => {
  it('comes from the seal and the tree: the same again, another for another of either', () => {
    const [seed, tree] = ['0'.repeat(64), 'a'.repeat(40)]
    expect(orderSeedOf(seed, tree)).toBe(orderSeedOf(seed, tree))
    expect(orderSeedOf('1'.repeat(64), tree)).not.toBe(orderSeedOf(seed, tree))
    expect(orderSeedOf(seed, 'b'.repeat(40))).not.toBe(orderSeedOf(seed, tree))
    expect(orderSeedOf(seed, tree)).toBeLessThan(2 ** 32)
  })
})

describe('gradeTree', () => {
  it('runs nothing with another runner than the set was sealed with', async () => {
    const examiner = new Blind(digestOf('mended'))
    await expect(grading(examiner)).rejects.toMatchObject({ code: 'config/seal-stale' })
    expect(examiner.asked).toBe(0)
  })

  it('runs nothing in another image', async () => {
    const examiner = new Blind(seal.manifest.runner)
    await expect(grading(examiner, { image: 'sha256:other' })).rejects.toMatchObject({
      code: 'config/seal-stale',
    })
    expect(examiner.asked).toBe(0)
  })

  it('runs a set that was sealed elsewhere when that is said', async () => {
    const examiner = new Blind(digestOf('mended'))
    const grade = await grading(examiner, { image: 'sha256:other', elsewhere: true })
    expect(examiner.asked).toBe(1)
    expect(grade.verdict).toBe('unverifiable')
  })

  it('keeps every changed configuration, however many tests an output adds', async () => {
    const tests = Array.from({ length: 3000 }, (_, index) => ({
      path: `0/test_${index}.py`,
      why: 'tests' as const,
    }))
    const configuration = { path: 'conftest.py', why: 'configuration' } as const
    const { restored } = await grading(new Blind(seal.manifest.runner, [...tests, configuration]))
    expect(restored).toHaveLength(1001)
    expect(restored).toContainEqual(configuration)
  })

  it('runs nothing of a set that is not the sealed one', async () => {
    const examiner = new Blind(seal.manifest.runner)
    const changed = new Map([...files, ['scenarios/extra.mjs', Buffer.from('')] as const])
    await expect(grading(examiner, { checkSet: { document, files: changed } })).rejects.toMatchObject({
      code: 'config/seal',
    })
    expect(examiner.asked).toBe(0)
  })
})
