import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 100
const SQLITE_BUSY = 5

/**
 * Runs `work` while no other process (and no other call in this one) holds `path`.
 *
 * Node has no file lock of the kernel's own; SQLite does. An exclusive transaction on an empty database holds one
 * that the kernel drops with the process, however it ends, so there is no stale lock to find and no pid to check.
 * @param path the lock's file; it is created, stays empty, and is never deleted (deleting would race).
 */
export async function withExclusive<T>(
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    while (!tryHold(database)) await delay(POLL_MS, undefined, { signal })
    return await work()
  } finally {
    database.close()
  }
}

/**
 * Takes hold of `path` at once, or not at all: as {@link withExclusive}, for who has something better to do than wait.
 * @returns what lets go of it, or undefined while another holds it.
 */
export function holdAtOnce(path: string): (() => void) | undefined {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    if (tryHold(database)) return () => database.close()
  } catch (error) {
    database.close()
    throw error
  }
  database.close()
  return undefined
}

function tryHold(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false
    throw error
  }
}
