import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { journalPath, Journal } from '../journal/journal.ts'
import { openStateDirectory, type StateDirectory } from '../state-directory.ts'
import { started } from '../testing/events.ts'
import { listRuns } from './list-runs.ts'

let state: StateDirectory
beforeEach(async () => {
  state = await openStateDirectory(mkdtempSync(join(tmpdir(), 'assay-list-')))
})
afterEach(() => rmSync(state.root, { recursive: true }))

function journalOf(run: string): Journal {
  return Journal.create(journalPath(join(state.runs, run)), () => new Date('2026-01-01T00:00:00Z'))
}

it('lists runs by age, with task and verdict, and those that cannot be read', async () => {
  const held = journalOf('b')
  held.append(started())
  held.append({ type: 'decided', decision: { do: 'refute' } })
  journalOf('a').append(started())
  journalOf('c').append(started())
  appendFileSync(journalPath(join(state.runs, 'c')), 'torn')
  mkdirSync(join(state.runs, 'd'))
  expect((await listRuns(state)).map(({ run, task, verdict }) => [run, task, verdict])).toEqual([
    ['a', 't', 'unfinished'],
    ['b', 't', 'refuted'],
    ['c', '', 'unreadable'],
    ['d', '', 'unreadable'],
  ])
})
