import type Dockerode from 'dockerode'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExecResult, ExecSpec } from '../../specs/sandbox.ts'
import { Fault } from '../../specs/fault.ts'
import { envList } from '../pure/sandbox/container-options.ts'
import { endOfUnstarted } from '../pure/sandbox/exec-start.ts'
import { boundedExec, endingWithin, type ExecBounds, type ExecRun, type RunEnd } from './bounded-exec.ts'
import { delay } from './box-ending.ts'
import { engineCall } from './engine-call.ts'
import { frameDemux } from './frame-demux.ts'

/** What an exec needs of its box. */
export interface ExecHost extends ExecBounds {
  readonly container: Dockerode.Container
  readonly user: string
}

/** While the stream is open the engine is asked now and then whether the program itself still runs. */
const OPEN_POLL_MS = [150, 300, 600, 1000]
/** After the stream ended the exit code is there at once, or the program closed its output and goes on. */
const ENDED_POLL_MS = [0, 2, 5, 10, 20, 50, 100, 200, 500]
/** How long output of a program that has ended may take to arrive while something else holds the stream open. */
const DRAIN_MS = 2000
/** How long the engine's word of an out-of-memory kill may take after the killed program's end. */
const OOM_WORD_MS = 250
/** A program that was killed: 128 + SIGKILL. */
const KILLED_CODE = 137

/** Runs one program in a container, see {@link boundedExec}. */
export function dockerExec(host: ExecHost, spec: ExecSpec, signal: AbortSignal): Promise<ExecResult> {
  return boundedExec(host, spec, signal, (io) => runToEnd(host, spec, io))
}

async function runToEnd(host: ExecHost, spec: ExecSpec, io: ExecRun): Promise<RunEnd> {
  const hasStdin = spec.stdin !== undefined
  const exec = await engineCall('exec.create', () =>
    host.container.exec({
      Cmd: [...spec.argv],
      Env: envList(spec.env ?? {}),
      User: spec.user ?? host.user,
      AttachStdin: hasStdin,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
      ...(spec.cwd === undefined ? {} : { WorkingDir: spec.cwd }),
    }),
  )
  throwIfOver(io)
  const stream = await engineCall('exec.start', () => exec.start({ hijack: true, stdin: hasStdin }))
  io.over.addEventListener('abort', () => stream.destroy(), { once: true })
  const ended = readFrames(stream, io)
  feed(stream, spec.stdin)
  try {
    return await exitOf(host, exec, io, ended)
  } finally {
    stream.destroy()
  }
}

function feed(stream: Duplex, stdin: ExecSpec['stdin']): void {
  if (stdin instanceof Uint8Array) stream.end(stdin)
  else if (stdin !== undefined) pipeline(stdin, stream).catch(() => undefined)
}

/** Feeds the output; the signal is aborted when the stream is over. */
function readFrames(stream: Duplex, io: ExecRun): AbortSignal {
  const ended = new AbortController()
  const demux = frameDemux((name, piece) => io.write(name, piece))
  stream.on('data', (chunk: Buffer) => {
    if (!demux(chunk)) stream.destroy()
  })
  const finish = () => ended.abort()
  // A program that does not read its stdin breaks the pipe: that is its right, and no fault.
  stream.on('error', finish).once('end', finish).once('close', finish)
  return ended.signal
}

async function exitOf(
  host: ExecHost,
  exec: Dockerode.Exec,
  io: ExecRun,
  ended: AbortSignal,
): Promise<RunEnd> {
  const openMs = pauses(OPEN_POLL_MS)
  const endedMs = pauses(ENDED_POLL_MS)
  for (;;) {
    if (ended.aborted) await delay(endedMs(), io.over)
    else await delay(openMs(), ended)
    throwIfOver(io)
    const state = await engineCall('exec.inspect', () => exec.inspect())
    if (state.Running || state.ExitCode === null) continue
    await delay(DRAIN_MS, ended)
    const neverStarted = state.Pid === 0 && state.ExitCode !== 0
    if (neverStarted) return endOfUnstarted(state.ExitCode, io.stdout().toString('utf8'))
    if (state.ExitCode === KILLED_CODE) await explainKill(host)
    return { kind: 'exited', code: state.ExitCode }
  }
}

/** A killed program may have met a limit of the box, or have died with it. */
async function explainKill(host: ExecHost): Promise<void> {
  if (await endingWithin(OOM_WORD_MS, host.ending)) return
  const { State } = await engineCall('container.inspect', () => host.container.inspect())
  if (State.Running) return
  if (State.OOMKilled) host.ending.report('memory')
  else throw lost(`the box ended while a program ran in it (exit code ${State.ExitCode})`)
}

function throwIfOver(io: ExecRun): void {
  if (io.over.aborted) throw lost('the box was ended while a program ran in it')
}

function lost(why: string): Fault {
  return new Fault('infra/box-lost', why)
}

/** The pauses one after another; the last one is repeated. */
function pauses(ms: readonly number[]): () => number {
  let next = 0
  return () => ms[Math.min(next++, ms.length - 1)] ?? 0
}
