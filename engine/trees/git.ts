import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Fault } from '../../specs/fault.ts'

/**
 * Git as a child process (D22): argv only, and an environment that holds nothing of the user's. No configuration of the
 * host or of a home folder is read, no hook runs, and no `GIT_*` variable of ours gets through.
 */
const ENVIRONMENT = {
  HOME: '/nonexistent',
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
} as const

const SAFE_CONFIG = [
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting])

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find((path) => existsSync(path))

export interface GitOptions {
  /** The repository; given as `--git-dir`, so none is ever searched for. */
  readonly gitDirectory?: string
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** `env` is the whole environment: for a git that speaks for the user, see `engine/landing/users-git.ts`. */
  readonly isUsers?: boolean
  readonly signal?: AbortSignal | undefined
  /** Bytes of address space that git may take; only where the host has `prlimit`. */
  readonly memoryBytes?: number
}

export interface GitRunOptions extends GitOptions {
  readonly stdin?: Uint8Array | string
  /** Bytes of stdout that are taken; with more, git is ended and the fault says so. Default 1 GiB. */
  readonly maxOutputBytes?: number
  readonly timeoutMs?: number
}

export interface GitResult {
  /** Null when a signal ended git. */
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** Starts git with open streams. The caller waits for its end with {@link ended}. */
export function spawnGit(argv: readonly string[], options: GitOptions): ChildProcessWithoutNullStreams {
  const git = [
    'git',
    ...SAFE_CONFIG,
    ...(options.gitDirectory === undefined ? [] : [`--git-dir=${options.gitDirectory}`]),
    ...argv,
  ]
  const limited =
    options.memoryBytes !== undefined && PRLIMIT !== undefined
      ? [PRLIMIT, `--as=${options.memoryBytes}`, '--', ...git]
      : git
  const [file = 'git', ...rest] = limited
  const child = spawn(file, rest, {
    cwd: options.cwd ?? options.gitDirectory,
    env:
      options.isUsers === true
        ? { ...options.env }
        : { PATH: process.env['PATH'], ...ENVIRONMENT, ...options.env },
    signal: options.signal,
    killSignal: 'SIGKILL',
    // A session of its own has no terminal that ssh could ask a question on.
    detached: options.isUsers === true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A git that ends early closes its stdin; its exit code says so better than EPIPE does.
  child.stdin.on('error', () => undefined)
  return child
}

/** Waits until git has ended and its streams are closed; stderr is kept up to 64 KiB. */
export async function ended(
  child: ChildProcessWithoutNullStreams,
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < 65_536) stderr += text.slice(0, 65_536)
  })
  return await new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.name === 'AbortError') reject(error)
      else if (error.code === 'ENOENT')
        reject(new Fault('infra/git', `git cannot be started: ${error.message}`))
      else reject(new Fault('infra/git', error.message, { cause: error }))
    })
    child.once('close', (code) => resolve({ code, stderr: stderr.trim() }))
  })
}

/**
 * Runs git to its end, whatever its exit code.
 * @throws Fault `infra/git` when it cannot be started, takes longer than allowed or writes more than allowed.
 */
export async function runGit(argv: readonly string[], options: GitRunOptions): Promise<GitResult> {
  const timeout = options.timeoutMs === undefined ? undefined : AbortSignal.timeout(options.timeoutMs)
  const signals = [options.signal, timeout].filter((signal) => signal !== undefined)
  const child = spawnGit(argv, { ...options, signal: AbortSignal.any(signals) })
  const end = ended(child)
  const maxBytes = options.maxOutputBytes ?? 2 ** 30
  const chunks: Buffer[] = []
  let sizeBytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) child.kill('SIGKILL')
    else chunks.push(chunk)
  })
  child.stdin.end(options.stdin ?? '')
  try {
    const { code, stderr } = await end
    if (sizeBytes > maxBytes) {
      throw new Fault('infra/git', `git ${argv[0] ?? ''} wrote more than ${maxBytes} bytes`)
    }
    return { code, stdout: Buffer.concat(chunks), stderr }
  } catch (error) {
    if (timeout?.aborted === true && options.signal?.aborted !== true) {
      throw new Fault(
        'infra/git-timeout',
        `git ${argv[0] ?? ''} took longer than ${options.timeoutMs ?? 0} ms`,
      )
    }
    throw error
  }
}

/** {@link runGit}, where any exit code but 0 is a fault. Returns stdout. */
export async function git(argv: readonly string[], options: GitRunOptions): Promise<Buffer> {
  const result = await runGit(argv, options)
  if (result.code !== 0) {
    throw new Fault(
      'infra/git',
      `git ${argv.join(' ').slice(0, 200)}: ${result.stderr || `exit ${result.code ?? 'by signal'}`}`,
    )
  }
  return result.stdout
}
