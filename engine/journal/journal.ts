import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync } from 'node:fs'
import { openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Fault } from '../../specs/fault.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { nextLine, readChain } from '../pure/journal-chain.ts'

/**
 * The append-only record of a run.
 *
 * Invariants: what `append` returned is on disk, and what it threw for is not in the file, unless the disk refused even
 * to take the part back; then nothing is written after it. Writing is synchronous on purpose: the order of events is the order of
 * the calls, and the caller may act on an intent only after it is durable.
 */
export class Journal {
  readonly #fd: number
  readonly #lines: JournalLine[]
  readonly #now: () => Date
  #state: 'open' | 'broken' | 'closed' = 'open'
  readonly path: string

  private constructor(path: string, lines: readonly JournalLine[], now: () => Date) {
    this.path = path
    this.#lines = [...lines]
    this.#now = now
    this.#fd = openSync(path, 'a', 0o600)
  }

  /** A new journal; the file must not exist. */
  static create(path: string, now: () => Date): Journal {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'wx', 0o600))
    syncDirectory(dirname(path))
    return new Journal(path, [], now)
  }

  /** An existing journal, to go on with. @throws Fault `config/journal` when it is not whole. */
  static open(path: string, now: () => Date): Journal {
    return new Journal(path, readJournal(path), now)
  }

  /**
   * Writes one event and waits until the disk has it.
   * @throws Fault `infra/journal-write`; after that, and once it is closed, nothing more is written.
   */
  append(body: EventBody): JournalLine {
    const line = nextLine(this.#lines.at(-1), this.#now().toISOString(), body)
    const about = `${this.path}: event ${line.seq} (${body.type})`
    // The number of a closed file may be another file's by now.
    if (this.#state === 'closed')
      throw new Fault('bug/journal-closed', `${about} after the journal was closed`)
    if (this.#state === 'broken')
      throw new Fault('infra/journal-write', `${about} cannot follow one that could not be written`)
    const sizeBytes = fstatSync(this.#fd).size
    try {
      writeAll(this.#fd, Buffer.from(`${JSON.stringify(line)}\n`))
      fsyncSync(this.#fd)
    } catch (cause) {
      this.#state = 'broken'
      takeBack(this.#fd, sizeBytes)
      const why = cause instanceof Error ? `: ${cause.message}` : ''
      throw new Fault('infra/journal-write', `${about} could not be written${why}`, { cause })
    }
    this.#lines.push(line)
    return line
  }

  get lines(): readonly JournalLine[] {
    return this.#lines
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    closeSync(this.#fd)
  }
}

/**
 * The events of a journal file.
 * @throws Fault `config/journal` that names the file, the line and the last good event. Nothing is repaired.
 */
export function readJournal(path: string): readonly JournalLine[] {
  if (!existsSync(path)) throw new Fault('config/journal', `${path}: no journal there`)
  const result = readChain(readFileSync(path, 'utf8'))
  if (result.kind === 'whole') return result.lines
  const last = result.lines.at(-1)
  const good =
    last === undefined ? 'no event before it is good' : `last good event: ${last.seq} (${last.body.type})`
  const mend = result.isTorn && last !== undefined ? ' (a run goes on without it with --drop-torn-line)' : ''
  throw new Fault(
    'config/journal',
    `${path}: line ${result.line}: ${result.why}; ${good}; nothing was changed${mend}`,
  )
}

/** Whether there is a journal without a first event: its run was cut off before it did anything. */
export function isEmptyJournal(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === 0
}

/** Where a run directory keeps its journal. */
export function journalPath(runDirectory: string): string {
  return join(runDirectory, 'journal.jsonl')
}

function writeAll(fd: number, bytes: Buffer): void {
  let offset = 0
  while (offset < bytes.length) offset += writeSync(fd, bytes, offset)
}

/** What was written of an event that failed was never acknowledged, so nobody can have relied on it. */
function takeBack(fd: number, sizeBytes: number): void {
  try {
    ftruncateSync(fd, sizeBytes)
    fsyncSync(fd)
  } catch {
    // The journal then ends in a torn line, which reading reports.
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
