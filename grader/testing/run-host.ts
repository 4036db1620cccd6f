import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import type { CommandSpec, ServiceSpec } from '../../specs/check-set.ts'
import type { Varied } from '../../specs/surroundings.ts'
import { readFrames } from '../pure/frame.ts'
import { readProbe, type ProbeReading } from '../pure/probe-reading.ts'

/** A probe for a host that runs as a plain process of this machine: no box, no wrapper. */
export interface HostRun {
  readonly tree?: Readonly<Record<string, string>>
  /** Packages installed beside the tree, by path below their folder. */
  readonly installed?: Readonly<Record<string, string>>
  /** The scenario's source, and helpers by path (`scenarios/lib/a.mjs`). */
  readonly scenario?: string
  readonly helpers?: Readonly<Record<string, string>>
  readonly command?: Partial<CommandSpec> & Pick<CommandSpec, 'argv'>
  readonly service?: ServiceSpec
  readonly input?: unknown
  /** Inputs of other calls in its process; its own when absent. */
  readonly others?: readonly { readonly input?: unknown }[]
  readonly timeoutMs?: number
  readonly seed?: number
  readonly varied?: Varied
  /** A folder of the run that it gets a copy of its tree in. */
  readonly copyTo?: string
}

const HOSTS = join(import.meta.dirname, '..', 'hosts')
const NONCES = { wrapper: 'aaaa', host: 'bbbb' }

/** Runs a host as the wrapper would, and reads what came out on its channel. */
export async function runHost(runtime: 'node' | 'python', run: HostRun): Promise<ProbeReading> {
  const scratch = await mkdtemp(join(tmpdir(), 'assay-host-'))
  try {
    const tree = join(scratch, 'tree')
    await lay(tree, run.tree ?? {})
    const modules = runtime === 'node' ? 'node_modules' : 'site-packages'
    if (run.installed !== undefined) await lay(join(scratch, modules), run.installed)
    const scenario = runtime === 'node' ? 'scenarios/one.mjs' : 'scenarios/one.py'
    const files = { ...run.helpers, [scenario]: run.scenario ?? '' }
    const job = {
      nonce: NONCES.host,
      alone: false,
      root: join(scratch, 'run'),
      tree,
      mechanism: run.command !== undefined ? 'command' : run.service !== undefined ? 'service' : 'scenario',
      scenario,
      ...(run.command === undefined ? {} : { command: { cwd: 'tmp', ...run.command } }),
      ...(run.service === undefined ? {} : { service: run.service }),
      ...(run.copyTo === undefined ? {} : { copyTo: join(scratch, 'run', run.copyTo) }),
      timeoutMs: run.timeoutMs ?? 10_000,
      seed: run.seed ?? 1,
      input: run.input,
      ...(run.others === undefined ? {} : { others: run.others }),
      ...(run.varied === undefined ? {} : { varied: run.varied }),
      files: Object.fromEntries(
        Object.entries(files).map(([path, text]) => [path, Buffer.from(text).toString('base64')]),
      ),
    }
    const text = Buffer.from(JSON.stringify(job))
    const [program, ...args] =
      runtime === 'node'
        ? [process.execPath, join(HOSTS, 'node', 'main.cjs')]
        : ['python3', '-I', '-B', join(HOSTS, 'python', 'main.py')]
    const child = spawn(program, [...args, String(text.length)], {
      stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: join(scratch, 'run', 'home'), LANG: 'C.UTF-8', TZ: 'UTC' },
    })
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(text)
    const [channel, [code, signal]] = await Promise.all([
      buffer(child.stdio[3] as Readable),
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    ])
    const end = { kind: 'exited', code: code ?? (signal === 'SIGKILL' ? 137 : 1) } as const
    return readProbe('row', readFrames(channel, NONCES), end)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The observation of a run without findings. */
export async function observeWith(runtime: 'node' | 'python', run: HostRun) {
  const reading = await runHost(runtime, run)
  if (reading.kind !== 'observed' || reading.findings.length > 0) throw new Error(JSON.stringify(reading))
  return reading.observation
}

/** Writes files, by path below a folder. */
export async function lay(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}
