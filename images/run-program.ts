import { spawn } from 'node:child_process'
import { Fault } from '../specs/fault.ts'

const TAIL_LINES = 12

export interface ProgramOptions {
  readonly cwd?: string
  /** The whole environment; the caller's own where absent. */
  readonly env?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/**
 * Runs a program of the host to its end.
 * @returns what it wrote to stdout.
 * @throws Fault `config/program-missing` where there is no such program, `infra/program` (with the end of its
 * output) where it fails.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string> {
  options.signal.throwIfAborted()
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: options.signal,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: { ...options.env } }),
  })
  let stdout = ''
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    output = (output + text).slice(-8000)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-8000)
  })
  const status = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, name) => resolve(name ?? String(code)))
  }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Fault('config/program-missing', `${program} is not installed`, { cause: error })
    }
    throw error
  })
  options.signal.throwIfAborted()
  if (status === '0') return stdout
  const tail = output.trim().split('\n').slice(-TAIL_LINES).join('\n')
  throw new Fault(
    'infra/program',
    `${program} ${args.slice(0, 3).join(' ')} … ended with ${status}:\n${tail}`,
  )
}
