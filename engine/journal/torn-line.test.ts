import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Journal, readJournal } from './journal.ts'
import { dropTornLine } from './torn-line.ts'

let folder: string
let path: string
let good: Buffer
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-torn-'))
  path = join(folder, 'journal.jsonl')
  const journal = Journal.create(path, () => new Date('2026-01-01T00:00:00Z'))
  journal.append({ type: 'resumed', reason: 'ü' })
  journal.close()
  good = readFileSync(path)
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('dropTornLine', () => {
  it('takes a last line without its newline out and keeps it, byte for byte', () => {
    const torn = Buffer.from([0x7b, 0xc3])
    appendFileSync(path, torn)
    expect(dropTornLine(path)).toEqual({ file: 'torn-line.1.txt', sizeBytes: 2 })
    expect(readFileSync(path)).toEqual(good)
    expect(readFileSync(join(folder, 'torn-line.1.txt'))).toEqual(torn)
    expect(readJournal(path)).toHaveLength(1)
  })

  it('overwrites nothing that was kept before', () => {
    appendFileSync(path, 'a')
    dropTornLine(path)
    appendFileSync(path, 'b')
    expect(dropTornLine(path)?.file).toBe('torn-line.2.txt')
    expect(readFileSync(join(folder, 'torn-line.1.txt'), 'utf8')).toBe('a')
  })

  it.each([
    ['a whole journal', ''],
    ['a broken line that has its newline', 'rubbish\n'],
    ['a broken line before a torn one', 'rubbish\nrub'],
  ])('changes nothing of %s', (_, more) => {
    appendFileSync(path, more)
    const before = readFileSync(path)
    expect(dropTornLine(path)).toBeUndefined()
    expect(readFileSync(path)).toEqual(before)
    expect(readdirSync(folder)).toEqual(['journal.jsonl'])
  })

  it('changes nothing of a journal that has no whole line: there is no run to go on with', () => {
    writeFileSync(path, good.subarray(0, 20))
    expect(dropTornLine(path)).toBeUndefined()
  })
})
