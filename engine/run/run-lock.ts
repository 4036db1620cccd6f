import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdAtOnce } from '../../images/exclusive.ts'
import { Fault } from '../../specs/fault.ts'

/**
 * Makes this process the only one that works at a run, until it lets go or ends, however it ends.
 *
 * Invariant: a journal is only opened for writing by who holds this. Two writers would break its chain for good.
 * @param directory the run's directory; it is made where needed.
 * @returns what lets go.
 * @throws Fault `config/run-busy` that names the process.
 */
export function holdRun(directory: string, run: string): () => void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const letGo = holdAtOnce(join(directory, 'lock'))
  const owner = join(directory, 'lock.pid')
  if (letGo === undefined) {
    throw new Fault(
      'config/run-busy',
      `run ${run}: process ${pidIn(owner)} is at work on it; wait for its end, or end it, then resume`,
    )
  }
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
  return letGo
}

/** For people only; whether the run is held is what the kernel says. */
function pidIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || 'unknown'
  } catch {
    return 'unknown'
  }
}
