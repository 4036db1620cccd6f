import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'engine/cli/main.ts')

/** What a user sees of one command. */
export interface Seen {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CallOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** A command that still runs. */
export interface Running {
  readonly child: ChildProcess
  /** What it printed on stderr until now. */
  stderr(): string
  /** Waits until stderr holds the text. */
  until(text: string): Promise<void>
  readonly ended: Promise<Seen>
}

/** Starts `assay …` from its source. */
export function start(argv: readonly string[], options: CallOptions = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  let err = ''
  child.stdout.on('data', (piece: Buffer) => out.push(piece))
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString('utf8')))
  const ended = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    stdout: Buffer.concat(out).toString('utf8'),
    stderr: err,
  }))
  const until = async (text: string) => {
    while (!err.includes(text)) {
      const seen = await Promise.race([once(child.stderr, 'data').then(() => undefined), ended])
      if (seen !== undefined && !err.includes(text))
        throw new Error(`it ended without saying ${JSON.stringify(text)}:\n${err}`)
    }
  }
  return { child, stderr: () => err, until, ended }
}

/** Runs `assay …` to its end. */
export function assay(argv: readonly string[], options: CallOptions = {}): Promise<Seen> {
  return start(argv, options).ended
}

/** The one JSON document on stdout. Throws when there is none, or more. */
export function documentOf({ stdout, stderr }: Seen): unknown {
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    throw new Error(`stdout is not one JSON document: ${stdout.slice(0, 500)}\nstderr: ${stderr}`, { cause })
  }
}
