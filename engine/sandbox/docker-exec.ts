import type Dockerode from 'dockerode'
import type { Duplex } from 'node:stream'
import type { ExecEnd, ExecResult, ExecSpec } from '../../specs/sandbox.ts'
import { Fault } from '../../specs/fault.ts'
import { envList } from '../pure/sandbox/container-options.ts'
import { endOfUnstarted } from '../pure/sandbox/exec-start.ts'
import { delay, type BoxEnding } from './box-ending.ts'
import { CappedOutput } from './capped-output.ts'
import { engineCall, interrupted, throwIfAborted } from './engine-call.ts'
import { frameDemux } from './frame-demux.ts'

/** What an exec needs of its box. */
export interface ExecHost {
  readonly container: Dockerode.Container
  readonly docker: Dockerode
  readonly user: string
  readonly outputBytes: number
  readonly ending: BoxEnding
  /** Ends every process of the box. */
  kill(): Promise<void>
}

/** While the stream is open the engine is asked now and then whether the program itself still runs. */
const OPEN_POLL_MS = [150, 300, 600, 1000]
/** After the stream ended the exit code is there at once, or the program closed its output and goes on. */
const ENDED_POLL_MS = [0, 2, 5, 10, 20, 50, 100, 200, 500]
/** How long output of a program that has ended may take to arrive while something else holds the stream open. */
const DRAIN_MS = 100
/** How long the engine's word of an out-of-memory kill may take after the killed program's end. */
const OOM_WORD_MS = 250
/** A program that was killed: 128 + SIGKILL. */
const KILLED_CODE = 137

type Stop =
  | { readonly kind: 'timeout' }
  | { readonly kind: 'output' }
  | { readonly kind: 'box' }
  | { readonly kind: 'abort' }

/**
 * Runs one program in a box. The deadline is armed before the engine hears of it. Whatever stops it early (deadline,
 * output, a limit of the box, the caller) kills the whole box: nothing in it can outlive the decision.
 * @throws Fault `infra/…`, `interrupted/aborted`
 */
export async function dockerExec(host: ExecHost, spec: ExecSpec, signal: AbortSignal): Promise<ExecResult> {
  throwIfAborted(signal)
  const startedMs = performance.now()
  const output = new CappedOutput(spec.outputBytes ?? host.outputBytes, spec.onOutput)
  const stops = new StopLatch()
  const timer = setTimeout(() => stops.stop({ kind: 'timeout' }), spec.timeoutMs)
  const onAbort = () => stops.stop({ kind: 'abort' })
  const onBox = () => stops.stop({ kind: 'box' })
  signal.addEventListener('abort', onAbort, { once: true })
  host.ending.signal.addEventListener('abort', onBox, { once: true })
  if (host.ending.signal.aborted) onBox()
  try {
    const run = runToEnd(host, spec, output, stops)
    const outcome = await Promise.race([run, stops.stopped])
    const end = 'code' in outcome ? await endOfExit(host, outcome.code) : outcome
    if (end.kind === 'exited' || end.kind === 'limit') return result(end)
    // The run is left behind: killing the box ends its stream, and what it then throws concerns nobody.
    run.catch(() => undefined)
    await host.kill()
    if (end.kind === 'abort') throw interrupted(signal)
    if (end.kind === 'box') return result({ kind: 'limit', limit: host.ending.limit ?? 'memory' })
    if (end.kind === 'output') return result({ kind: 'limit', limit: 'output' })
    return result(end)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    host.ending.signal.removeEventListener('abort', onBox)
    stops.finish()
  }

  function result(end: ExecEnd): ExecResult {
    return {
      end,
      stdout: output.bytes('stdout'),
      stderr: output.bytes('stderr'),
      truncated: output.truncated,
      durationMs: performance.now() - startedMs,
    }
  }
}

/** The first stop wins; `over` is aborted when the exec is done with, however it ended. */
class StopLatch {
  readonly #over = new AbortController()
  readonly stopped: Promise<Stop>
  #resolve: (stop: Stop) => void = () => undefined

  constructor() {
    this.stopped = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  stop(stop: Stop): void {
    this.#resolve(stop)
  }

  finish(): void {
    this.#over.abort()
  }

  isOver(): boolean {
    return this.#over.signal.aborted
  }

  get over(): AbortSignal {
    return this.#over.signal
  }
}

async function runToEnd(
  host: ExecHost,
  spec: ExecSpec,
  output: CappedOutput,
  stops: StopLatch,
): Promise<{ readonly code: number } | Extract<ExecEnd, { kind: 'limit' }>> {
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
  if (stops.isOver()) throw new Fault('infra/box-lost', 'the box was ended before the program started')
  const stream = await engineCall('exec.start', () => exec.start({ hijack: true, stdin: hasStdin }))
  stops.over.addEventListener('abort', () => stream.destroy(), { once: true })
  if (stops.isOver()) stream.destroy()
  const ended = readFrames(stream, output, stops)
  if (spec.stdin !== undefined) stream.end(spec.stdin)
  return await exitOf(exec, output, ended, stops.over)
}

/** Feeds the output; the signal is aborted when the stream is over. */
function readFrames(stream: Duplex, output: CappedOutput, stops: StopLatch): AbortSignal {
  const ended = new AbortController()
  const demux = frameDemux((name, piece) => {
    if (!output.write(name, piece)) stops.stop({ kind: 'output' })
  })
  stream.on('data', (chunk: Buffer) => {
    if (!demux(chunk)) stream.destroy()
  })
  const finish = () => ended.abort()
  // A program that does not read its stdin breaks the pipe: that is its right, and no fault.
  stream.on('error', finish).once('end', finish).once('close', finish)
  return ended.signal
}

async function exitOf(
  exec: Dockerode.Exec,
  output: CappedOutput,
  ended: AbortSignal,
  over: AbortSignal,
): Promise<{ readonly code: number } | Extract<ExecEnd, { kind: 'limit' }>> {
  let openPolls = 0
  let endedPolls = 0
  while (!over.aborted) {
    if (ended.aborted) await delay(ENDED_POLL_MS[Math.min(endedPolls++, ENDED_POLL_MS.length - 1)] ?? 0, over)
    else await delay(OPEN_POLL_MS[Math.min(openPolls++, OPEN_POLL_MS.length - 1)] ?? 0, ended)
    const state = await engineCall('exec.inspect', () => exec.inspect())
    if (state.Running || state.ExitCode === null) continue
    await delay(DRAIN_MS, ended)
    const neverStarted = state.Pid === 0 && state.ExitCode !== 0
    if (neverStarted) return endOfUnstarted(state.ExitCode, output.bytes('stdout').toString('utf8'))
    return { code: state.ExitCode }
  }
  throw new Fault('infra/box-lost', 'the box was ended while the program ran')
}

/** An exit code is the program's end, unless a limit of the box was behind it. */
async function endOfExit(host: ExecHost, code: number): Promise<ExecEnd> {
  if (code === KILLED_CODE) {
    await delay(OOM_WORD_MS, host.ending.signal)
    if (host.ending.limit === undefined) await requireRunning(host)
  }
  if (host.ending.limit !== undefined) {
    await host.kill()
    return { kind: 'limit', limit: host.ending.limit }
  }
  return { kind: 'exited', code }
}

/** A killed program may have died with its box. */
async function requireRunning(host: ExecHost): Promise<void> {
  const { State } = await engineCall('container.inspect', () => host.container.inspect())
  if (State.Running) return
  if (State.OOMKilled) host.ending.report('memory')
  else
    throw new Fault('infra/box-lost', `the box ended while a program ran in it (exit code ${State.ExitCode})`)
}
