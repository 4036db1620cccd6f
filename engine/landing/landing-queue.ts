import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentProcess, isProcessAlive } from '../sandbox/owner.ts'

const POLL_MS = 100
/** Another process holds the database for one statement. */
const BUSY_MS = 10_000

/**
 * Who lands on one branch, one after the other in the order in which they came. A file that outlives processes: the turn
 * of one that was killed passes to the next.
 *
 * Invariant: of the tickets of processes that are alive, the lowest has the turn.
 */
export class LandingQueue {
  readonly #database: DatabaseSync

  /** @param path the file of the branch; it is made where needed. */
  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true })
    this.#database = new DatabaseSync(path, { timeout: BUSY_MS })
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS tickets (ticket INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, process TEXT NOT NULL) STRICT',
    )
    this.#first()
  }

  /**
   * Waits for a turn.
   * @param onWait is told once whose turn it is, when it is another's.
   * @returns what ends the turn.
   * @throws the signal's reason; the ticket is given back then.
   */
  async enter(run: string, signal: AbortSignal, onWait: (run: string) => void): Promise<() => void> {
    const process = currentProcess()
    const { lastInsertRowid: ticket } = this.#database
      .prepare('INSERT INTO tickets (run, process) VALUES (?, ?)')
      .run(run, process)
    const leave = () => {
      this.#database.prepare('DELETE FROM tickets WHERE ticket = ?').run(ticket)
    }
    try {
      for (let told = false; ; told = true) {
        signal.throwIfAborted()
        const first = this.#first()
        if (first === undefined || first.ticket === Number(ticket)) return leave
        if (!told) onWait(first.run)
        await sleep(POLL_MS, undefined, { signal })
      }
    } catch (error) {
      leave()
      throw error
    }
  }

  close(): void {
    this.#database.close()
  }

  /** The lowest ticket of a process that is alive; those of dead ones before it are taken away. */
  #first(): { readonly ticket: number; readonly run: string } | undefined {
    const rows = this.#database.prepare('SELECT ticket, run, process FROM tickets ORDER BY ticket').all()
    for (const { ticket, run, process } of rows) {
      if (isProcessAlive(String(process))) return { ticket: Number(ticket), run: String(run) }
      this.#database.prepare('DELETE FROM tickets WHERE ticket = ?').run(Number(ticket))
    }
    return undefined
  }
}
