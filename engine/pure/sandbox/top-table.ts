import type { BoxProcess } from '../../../specs/sandbox.ts'
import { Fault } from '../../../specs/fault.ts'

/** What `container.top` gives, unchecked. */
export interface TopTable {
  readonly Titles?: unknown
  readonly Processes?: unknown
}

const MAX_COMMAND_CHARACTERS = 400

/**
 * The engine's process table, strictly: three columns, the first two numbers. The command line is what the process
 * set it to, so it is cut and its control characters go.
 * @param hideUid uid of the box's first process.
 * @throws Fault `infra/engine` for any other table.
 */
export function parseTop(table: TopTable, hideUid: number): BoxProcess[] {
  if (!Array.isArray(table.Processes)) throw unreadable('no rows')
  const rows: unknown[] = table.Processes
  return rows.map(parseRow).filter((row) => row.uid !== hideUid)
}

/** Lines of `uid pid command line` as a table; the blank that stands for the end of the last argument is none of it. */
export function parseListing(text: string): TopTable {
  const lines = text.split('\n').filter((line) => line !== '')
  return { Processes: lines.map((line) => /^(\S*) (\S*) (.*?) ?$/.exec(line)?.slice(1) ?? [line]) }
}

function parseRow(row: unknown): BoxProcess {
  if (!Array.isArray(row) || row.length < 3) throw unreadable(JSON.stringify(row).slice(0, 100))
  const [uid, pid, ...rest] = row.map(String)
  if (!/^\d{1,10}$/.test(uid ?? '') || !/^\d{1,10}$/.test(pid ?? '')) {
    throw unreadable(JSON.stringify(row).slice(0, 100))
  }
  const command = rest
    .join(' ')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, MAX_COMMAND_CHARACTERS)
  return { uid: Number(uid), pid: Number(pid), command }
}

function unreadable(what: string): Fault {
  return new Fault('infra/engine', `container.top: a process table of another shape (${what})`)
}
