import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sealCheckSet } from '../../oracle/seal.ts'
import { checkSetSchema } from '../../specs/check-set.ts'
import { digestOf } from '../../specs/digest.ts'
import { readSealed, writeSealed, type Sealed } from './sealed-directory.ts'

const CHECKS = {
  version: 1,
  claims: [{ id: 'a', kind: 'change', statement: 's', spec_ref: 'r' }],
  checks: [
    { id: 'one', claim: 'a', role: 'behaviour', scenario: 'scenarios/one.mjs', expect: { returns: 1 } },
  ],
}

function sealedBy(author: string): Sealed {
  const files = new Map([
    ['checks.json', Buffer.from(JSON.stringify(CHECKS))],
    ['scenarios/one.mjs', Buffer.from('export default () => 1')],
  ])
  const checkSet = { document: checkSetSchema.parse(CHECKS), files }
  const row = { row: 'one', check: 'one', claim: 'a', role: 'behaviour', state: 'valid' } as const
  const rows = [{ ...row, split: 'feedback' as const, guessable: false, missingOnBase: false }]
  const seal = sealCheckSet({
    set: checkSet,
    request: 'r',
    base: 'b'.repeat(40),
    imageId: 'sha256:image',
    runner: digestOf('runner'),
    admission: { admitted: true, reasons: [], flags: [], rows, trials: [], unverifiable: [] },
    baseObservations: {},
    author,
    nonceSeed: '0'.repeat(64),
  })
  return { seal, checkSet }
}

let folder: string
let directory: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-sealed-'))
  directory = join(folder, 'run/sealed')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a sealed set in a directory', () => {
  it('is read as it was written', async () => {
    const sealed = sealedBy('ours')
    await writeSealed(directory, sealed)
    const read = await readSealed(directory, { seal: sealed.seal.seal })
    expect(read.seal).toEqual(sealed.seal)
    expect([...read.checkSet.files.keys()].sort()).toEqual([...sealed.checkSet.files.keys()].sort())
  })

  it('is whole, and alone, when several put it there at once', async () => {
    const sealed = sealedBy('ours')
    await Promise.all(Array.from({ length: 8 }, () => writeSealed(directory, sealed)))
    await expect(readSealed(directory, { seal: sealed.seal.seal })).resolves.toBeDefined()
    expect(readdirSync(join(folder, 'run'))).toEqual(['sealed'])
  })

  it('that was swapped after it was journaled is refused, though it holds together', async () => {
    await writeSealed(directory, sealedBy('ours'))
    await writeSealed(directory, sealedBy('theirs'))
    await expect(readSealed(directory, {})).resolves.toBeDefined()
    await expect(readSealed(directory, { seal: sealedBy('ours').seal.seal })).rejects.toMatchObject({
      code: 'config/seal',
    })
  })

  it('that was sealed with another runner is stale', async () => {
    await writeSealed(directory, sealedBy('ours'))
    await expect(readSealed(directory, { runner: digestOf('mended') })).rejects.toMatchObject({
      code: 'config/seal-stale',
    })
  })

  it.each<[string, () => void]>([
    ['an empty file', () => writeFileSync(join(directory, 'set/checks.json'), '')],
    ['a file more', () => writeFileSync(join(directory, 'set/extra'), '')],
    ['a link', () => symlinkSync('checks.json', join(directory, 'set/link'))],
    ['no whole seal', () => writeFileSync(join(directory, 'seal.json'), '{"seal":')],
    ['no set', () => rmSync(join(directory, 'set'), { recursive: true })],
  ])('with %s is refused with a code, never with a plain error', async (_name, harm) => {
    await writeSealed(directory, sealedBy('ours'))
    harm()
    await expect(readSealed(directory, {})).rejects.toMatchObject({ code: 'config/seal' })
  })
})
