import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Owner } from '../../specs/sandbox.ts'

/**
 * Who makes boxes now: this process, for this state directory on this host.
 * @param stateDir must exist.
 */
export function currentOwner(stateDir: string): Owner {
  const state = createHash('sha256')
    .update(`${hostname()}\0${realpathSync(stateDir)}`)
    .digest('hex')
    .slice(0, 16)
  return { state, process: currentProcess() }
}

/** This process, as `pid:start`: another process that gets the same pid later has another start. */
export function currentProcess(): string {
  return `${process.pid}:${startOf(process.pid) ?? '0'}`
}

/** Whether the process `pid:start` still runs: another process that got the same pid has another start. */
export function isProcessAlive(maker: string): boolean {
  const match = /^(\d{1,10}):(\S{1,64})$/.exec(maker)
  if (!match) return false
  return startOf(Number(match[1])) === match[2]
}

/** When a process started, as text that is only compared. Undefined when it is gone or a zombie. */
function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startTicks(pid) : startByPs(pid)
}

function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

function startByPs(pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
    return started.trim().replaceAll(/\s+/g, '_') || undefined
  } catch {
    return undefined
  }
}
