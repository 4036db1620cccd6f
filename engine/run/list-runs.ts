import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../specs/fault.ts'
import { journalPath, readJournal } from '../journal/journal.ts'
import { verdictOf, type Report } from '../pure/report.ts'
import { fold, type RunEnd } from '../state.ts'
import type { StateDirectory } from '../state-directory.ts'

/** One line of a list of runs. */
export interface ListedRun {
  readonly run: string
  readonly task: string
  /** `unreadable` when its journal is not whole. */
  readonly verdict: Report['verdict'] | 'unreadable'
  /** Absent of one that is not finished, or cannot be read. */
  readonly outcome?: RunEnd['outcome']
  /** Of its last event. */
  readonly at: string
}

/** The runs of a state directory, from their journals alone, the oldest first. */
export async function listRuns({ runs }: StateDirectory): Promise<readonly ListedRun[]> {
  return (await readdir(runs)).sort().map((run) => describe(run, join(runs, run)))
}

function describe(run: string, directory: string): ListedRun {
  const unreadable = { run, task: '', verdict: 'unreadable', at: '' } as const
  try {
    const lines = readJournal(journalPath(directory))
    const first = lines[0]?.body
    if (first?.type !== 'run-started') return unreadable
    const state = fold(lines.map(({ body }) => body))
    const outcome = state.end === undefined ? {} : { outcome: state.end.outcome }
    return { run, task: first.task.id, verdict: verdictOf(state), ...outcome, at: lines.at(-1)?.at ?? '' }
  } catch (error) {
    if (error instanceof Fault) return unreadable
    throw error
  }
}
