import { describe, expect, it } from 'vitest'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { sealSchema, type Seal } from '../../specs/seal.ts'
import { examplesOf } from '../../specs/testing/examples.ts'
import { delivered, opened, sealed, started } from '../testing/events.ts'
import { paint } from '../view/paint.ts'
import { reportText } from '../view/report-text.ts'
import { nextLine } from './journal-chain.ts'
import { reportOf } from './report.ts'

function journal(...bodies: readonly EventBody[]): JournalLine[] {
  const lines: JournalLine[] = []
  for (const body of bodies) lines.push(nextLine(lines.at(-1), '2026-01-01T00:00:00.000Z', body))
  return lines
}
const textOf = (lines: readonly JournalLine[], seal?: Seal) =>
  reportText(reportOf(lines, seal, new Map()), paint(false), '/runs/r1')
const seal = (): EventBody => ({ type: 'decided', decision: { do: 'seal' } })

describe('a report', () => {
  it('shows every reason why a set was not sealed, and its gap', () => {
    const reasons = ['checks[0]: passes on base', 'claims[1]: nothing settles it']
    const lines = journal(started(), seal(), { type: 'not-sealed', reasons, gap: 'spec' })
    expect(reportOf(lines, undefined, new Map()).notSealed).toEqual({ reasons, gap: 'spec' })
    for (const reason of reasons) expect(textOf(lines)).toContain(`- ${reason}`)
    expect(textOf(lines)).toContain('seal     none (gap: spec)')
  })

  it('counts a wrong trial that could not be settled as not refused', () => {
    const example = sealSchema.parse(examplesOf('seal', 'valid')[0])
    const trial = { id: 't', expect: 'refuted' as const, failed: [] }
    const trials = (['refuted', 'unverifiable', 'verified'] as const).map((got) => ({ ...trial, got }))
    const counted = { ...example, admission: { ...example.admission, trials } }
    const report = reportOf(journal(started(), sealed), counted, new Map())
    expect(report.seal?.wrongTrials).toEqual({ refused: 1, of: 3 })
    expect(textOf(journal(started(), sealed), counted)).toContain('1 of 3 wrong trials refused')
  })

  it('tells what the gate let through and a person should know', () => {
    const notes = [{ path: 'bin/run', note: 'became-executable' as const }]
    const lines = journal(started(), sealed, delivered(1), { ...opened(1), notes } as EventBody)
    expect(textOf(lines)).toContain('! bin/run: can be executed now')
  })

  it('names what the worker may have relied on and nobody else has: files that base ignores', () => {
    const ignored = ['dist/', 'debug.log', 'a', 'b', 'c', 'd', 'e']
    const lines = journal(started(), sealed, delivered(1), { ...opened(1), ignored } as EventBody)
    expect(textOf(lines)).toContain('! left out, as base ignores it: dist/, debug.log, a, b, c and 2 more')
  })

  it('says what to run next about an engine that failed', () => {
    const decision = { do: 'hold', cause: 'infrastructure', missing: 'no space left' } as const
    expect(textOf(journal(started(), { type: 'decided', decision }))).toContain(
      'infrastructure; missing: no space left; `assay doctor` says what is wrong with the engine; exit 4',
    )
  })

  it('of a journal without a beginning is a fault of the journal', () => {
    expect(() => reportOf(journal(sealed), undefined, new Map())).toThrow(
      expect.objectContaining({ code: 'config/journal' }),
    )
  })
})
