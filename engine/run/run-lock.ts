import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdAtOnce } from '../../images/exclusive.ts'
import { Fault } from '../../specs/fault.ts'

/**
 * Makes this process the only one that works at a run or a batch, until it lets go or ends, however it ends.
 *
 * Invariant: a journal is only opened for writing by who holds this. Two writers would break its chain for good.
 * @param directory of the run or batch; it is made where needed.
 * @param what it is, for people: `run 20260101-…`.
 * @returns what lets go.
 * @throws Fault `config/run-busy` that names the process, and since when it is at work.
 */
export function holdAlone(directory: string, what: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const letGo = holdAtOnce(join(directory, 'lock'))
  const owner = join(directory, 'lock.pid')
  if (letGo === undefined) {
    const [pid = 'unknown', since = ''] = holderIn(owner)
    throw new Fault(
      'config/run-busy',
      `${what}: process ${pid} is at work on it${since === '' ? '' : ` since ${since}`}; wait for its end, or end it, then resume`,
    )
  }
  writeFileSync(owner, `${process.pid} ${new Date().toISOString()}\n`, { mode: 0o600 })
  return letGo
}

/** Pid and time. For people only; whether it is held is what the kernel says. */
function holderIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trim().split(' ')
  } catch {
    return []
  }
}
