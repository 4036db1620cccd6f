import { rm, stat } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../../specs/fault.ts'
import { runGit } from './git.ts'

/** One change of a ref: `update <ref> <commit>` or `delete <ref>`, as `git update-ref --stdin` has it. */
export type RefChange = `update ${string} ${string}` | `delete ${string}`

/** Git holds the lock of a ref for milliseconds: one that is older was left by a git that was killed, or by a dead machine. */
const STALE_MS = 5000
const PAUSE_MS = 50
/** So many locks that nobody holds any longer are taken away for one change. */
const MAX_STALE = 10

/**
 * Changes refs of the store. It takes no signal, since a git that is killed in the middle leaves its lock, and nobody could
 * change that ref again; for the same reason a lock that is in the way is waited for, and taken away when it is stale.
 * @throws Fault `infra/git`
 */
export async function updateRefs(gitDirectory: string, changes: readonly RefChange[]): Promise<void> {
  if (changes.length === 0) return
  const stdin = changes.map((change) => `${change}\n`).join('')
  let taken = 0
  for (;;) {
    const { code, stderr } = await runGit(['update-ref', '--stdin'], { gitDirectory, stdin })
    if (code === 0) return
    const lock = /Unable to create '([^']+\.lock)': File exists/.exec(stderr)?.[1]
    if (lock === undefined || !isInside(gitDirectory, lock) || taken >= MAX_STALE) {
      throw new Fault(
        'infra/git',
        `git update-ref (${changes[0]}): ${stderr || `exit ${code ?? 'by signal'}`}`,
      )
    }
    if (await isStale(lock)) {
      await rm(lock, { force: true })
      taken += 1
    } else {
      await delay(PAUSE_MS)
    }
  }
}

function isInside(directory: string, path: string): boolean {
  return !relative(directory, path).startsWith(`..${sep}`)
}

/** By its own age, and not by how long it was waited for: under one that is taken again and again somebody gets on. */
async function isStale(lock: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lock)
    return Math.abs(Date.now() - mtimeMs) > STALE_MS
  } catch {
    // It is gone: the next try tells.
    return false
  }
}
