import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Blobs } from './blobs.ts'
import { Journal, readJournal } from './journal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-journal-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const now = () => new Date('2026-01-01T00:00:00Z')

describe('Journal', () => {
  it('has on disk what append returned', () => {
    const journal = Journal.create(join(folder, 'run/journal.jsonl'), now)
    const line = journal.append({ type: 'resumed', reason: 'a' })
    expect(readJournal(journal.path)).toEqual([line])
  })

  it('never overwrites a journal', () => {
    Journal.create(join(folder, 'journal.jsonl'), now)
    expect(() => Journal.create(join(folder, 'journal.jsonl'), now)).toThrow(/EEXIST/)
  })

  it('goes on where it was', () => {
    const path = join(folder, 'journal.jsonl')
    Journal.create(path, now).append({ type: 'resumed', reason: 'a' })
    Journal.open(path, now).append({ type: 'resumed', reason: 'b' })
    expect(readJournal(path).map(({ seq }) => seq)).toEqual([0, 1])
  })

  it('names the last good event of a broken journal and leaves the file as it is', () => {
    const path = join(folder, 'journal.jsonl')
    const journal = Journal.create(path, now)
    journal.append({ type: 'resumed', reason: 'a' })
    journal.append({ type: 'resumed', reason: 'b' })
    const broken = readFileSync(path, 'utf8').slice(0, -10)
    writeFileSync(path, broken)
    expect(() => Journal.open(path, now)).toThrow(
      /line 2: the last line was cut off; last good event: 0 \(resumed\)/,
    )
    expect(readFileSync(path, 'utf8')).toBe(broken)
  })
})

describe('Blobs', () => {
  it('gives back what was put, by digest, once', async () => {
    const blobs = new Blobs(join(folder, 'blobs'))
    const digest = await blobs.put('hello')
    expect(await blobs.put('hello')).toBe(digest)
    expect((await blobs.get(digest)).toString()).toBe('hello')
    expect(await blobs.putStream(Readable.from([Buffer.from('hel'), Buffer.from('lo')]), 5)).toBe(digest)
  })

  it('keeps nothing of a stream that is too large', async () => {
    const blobs = new Blobs(join(folder, 'blobs'))
    expect(await blobs.putStream(Readable.from([Buffer.alloc(6)]), 5)).toBeUndefined()
  })

  it('refuses what is not what its name says', async () => {
    const blobs = new Blobs(join(folder, 'blobs'))
    const digest = await blobs.put('hello')
    writeFileSync(blobs.path(digest), 'hellO')
    await expect(blobs.get(digest)).rejects.toMatchObject({ code: 'config/blob' })
    await expect(blobs.get(`sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({ code: 'config/blob' })
  })
})
