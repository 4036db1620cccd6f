import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { nextLine, readChain } from './journal-chain.ts'

const at = '2026-01-01T00:00:00.000Z'
const body = (reason: string): EventBody => ({ type: 'resumed', reason })

function chain(reasons: readonly string[]): JournalLine[] {
  const lines: JournalLine[] = []
  for (const reason of reasons) lines.push(nextLine(lines.at(-1), at, body(reason)))
  return lines
}
const text = (lines: readonly JournalLine[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

describe('readChain', () => {
  it('reads back what was written', () => {
    const lines = chain(['a', 'b', 'c'])
    expect(readChain(text(lines))).toEqual({ kind: 'whole', lines })
  })
  it('takes an empty file as an empty journal', () => {
    expect(readChain('')).toEqual({ kind: 'whole', lines: [] })
  })
  const [a, b, c] = chain(['a', 'b', 'c']) as [JournalLine, JournalLine, JournalLine]
  it.each<[string, string, number, RegExp]>([
    ['a cut-off last line', text([a, b]) + JSON.stringify(c).slice(0, 40), 2, /cut off/],
    ['a whole last line without its newline', text([a, b]) + JSON.stringify(c), 2, /cut off/],
    ['a dropped line', text([a, c]), 1, /event 2 where 1/],
    ['a doubled line', text([a, b, b]), 2, /event 1 where 2/],
    ['a changed body', text([a, { ...b, body: body('x') }]), 1, /hash/],
    ['a changed time', text([{ ...a, at: '2027-01-01T00:00:00.000Z' }]), 0, /hash/],
    ['a foreign chain', text([a, { ...b, prev: c.hash }]), 1, /follow/],
    ['another version', text([a]) + '{"v":2}\n', 1, /version 2, expected 1/],
    ['rubbish', text([a]) + 'rubbish\n', 1, /not JSON/],
    ['an unknown type', text([a]) + JSON.stringify({ ...b, body: { type: 'x' } }) + '\n', 1, /body/],
  ])('stops at %s and keeps what is good', (_, journal, good, why) => {
    const result = readChain(journal)
    expect(result).toMatchObject({ kind: 'broken', line: good + 1 })
    expect(result.lines).toHaveLength(good)
    expect(result.kind === 'broken' && result.why).toMatch(why)
  })
  it('writes an event that holds half a surrogate pair, mended', () => {
    const line = nextLine(undefined, at, body('worker: \ud83d'))
    expect(line.body).toEqual(body('worker: \ufffd'))
    expect(readChain(text([line]))).toEqual({ kind: 'whole', lines: [line] })
  })
  it('does not take a mended text and half a pair for the same', () => {
    const line = nextLine(undefined, at, body('worker: \ufffd'))
    expect(readChain(text([{ ...line, body: body('worker: \ud83d') }]))).toMatchObject({ kind: 'broken' })
  })
  it.each([
    ['of a last line without its newline', text([a, b]).slice(0, -1), true],
    ['not of a broken line with one', text([a, a]), false],
    ['not of a broken line before a torn one', text([a, a, b]).slice(0, -1), false],
  ])('says torn %s', (_, journal, isTorn) => {
    expect(readChain(journal)).toMatchObject({ kind: 'broken', isTorn })
  })
  test.prop([fc.array(fc.string(), { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(255)])(
    'no single changed byte goes unnoticed',
    (reasons, where, byte) => {
      const bytes = Buffer.from(text(chain(reasons)))
      const at = where % bytes.length
      fc.pre(bytes[at] !== byte)
      bytes[at] = byte
      const result = readChain(bytes.toString())
      // JSON allows white space that means nothing; the values must then be the same.
      if (result.kind === 'whole') expect(text(result.lines)).toBe(text(chain(reasons)))
    },
  )
})
