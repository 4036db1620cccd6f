import { CommanderError } from 'commander'
import { exitCodeOf, toFault, type Fault } from '../../specs/fault.ts'
import { printable } from '../pure/printable.ts'

/** What a failed command prints, and what it exits with. */
export interface ErrorOutput {
  /** One JSON document, with `--json` only. */
  readonly stdout: string
  /** One line; of a bug of ours its stack below it. */
  readonly stderr: string
  readonly exitCode: number
}

/**
 * Turns what a command threw into its output; pure.
 * @param json whether the user asked for a document on stdout: an error is one too.
 */
export function errorOutput(error: unknown, json: boolean): ErrorOutput {
  if (error instanceof CommanderError) return ofUsage(error, json)
  const fault = toFault(error)
  const exitCode = exitCodeOf(fault.code)
  return {
    stdout: json ? document(fault.code, fault.message, exitCode) : '',
    stderr: `assay: ${printable(fault.message, 2000)} [${fault.code}]\n${stackOf(fault)}`,
    exitCode,
  }
}

/** Its line on stderr is written by then; `--help` and `--version` are no errors. */
function ofUsage({ exitCode, message }: CommanderError, json: boolean): ErrorOutput {
  if (exitCode === 0) return { stdout: '', stderr: '', exitCode: 0 }
  const said = message.replace(/^error: /, '')
  return { stdout: json ? document('config/usage', said, 2) : '', stderr: '', exitCode: 2 }
}

function document(code: string, message: string, exitCode: number): string {
  return `${JSON.stringify({ error: { code, message, exitCode } }, null, 2)}\n`
}

function stackOf({ code, stack, cause }: Fault): string {
  if (!code.startsWith('bug/')) return ''
  const below = cause instanceof Error && cause.stack !== undefined ? `caused by ${cause.stack}\n` : ''
  return `${stack ?? ''}\n${below}`
}
