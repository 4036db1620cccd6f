import type { ExecEnd } from '../../../specs/sandbox.ts'
import { Fault } from '../../../specs/fault.ts'

/**
 * What it means that the engine could not start a program at all (it never had a process id, so the text is the
 * engine's and not the program's).
 * @throws Fault `infra/engine` when the program was not the cause.
 */
export function endOfUnstarted(exitCode: number, engineText: string): Exclude<ExecEnd, { kind: 'timeout' }> {
  if (/resource temporarily unavailable|cannot allocate memory/i.test(engineText)) {
    return { kind: 'limit', limit: /memory/i.test(engineText) ? 'memory' : 'processes' }
  }
  if (/executable file not found|no such file or directory|not a directory/i.test(engineText))
    return { kind: 'exited', code: 127 }
  if (/permission denied|exec format error|is a directory/i.test(engineText))
    return { kind: 'exited', code: 126 }
  const said = engineText.replace(/\p{Cc}+/gu, ' ').trim()
  throw new Fault(
    'infra/engine',
    `exec.start: exit code ${exitCode}, ${said.slice(0, 300) || 'no reason given'}`,
  )
}
