import type { ExecEnd, ExecResult, ExecSpec } from '../../specs/sandbox.ts'
import { delay, type BoxEnding } from './box-ending.ts'
import { CappedOutput } from './capped-output.ts'
import { interrupted, throwIfAborted } from './engine-call.ts'
import type { OutputStream } from './frame-demux.ts'

/** What bounds an exec: its box. */
export interface ExecBounds {
  readonly outputBytes: number
  readonly ending: BoxEnding
  /** Ends every process of the box. */
  kill(): Promise<void>
}

/** What the running side of an exec is given. */
export interface ExecRun {
  /** Takes output as it comes. Over the cap the exec is stopped. */
  write(stream: OutputStream, piece: Buffer): void
  stdout(): Buffer
  /** Aborted when the exec is done with, however it ended: let go of everything. */
  readonly over: AbortSignal
}

/** How the program itself ended, as its running side saw it. */
export type RunEnd = Exclude<ExecEnd, { kind: 'timeout' }>

type Stop = 'timeout' | 'output' | 'box' | 'abort'

/**
 * Runs one program within its bounds. The deadline is armed before anything is asked of anybody. Whatever stops it
 * early (deadline, output, a limit of the box, the caller) kills the whole box (D12), and the result is given only then:
 * nothing in the box can outlive the decision.
 * @param run starts the program and resolves at its end.
 * @throws Fault of `run` or `kill`, or `interrupted/aborted`
 */
export async function boundedExec(
  bounds: ExecBounds,
  spec: ExecSpec,
  signal: AbortSignal,
  run: (io: ExecRun) => Promise<RunEnd>,
): Promise<ExecResult> {
  throwIfAborted(signal)
  const startedMs = performance.now()
  const { ending } = bounds
  const output = new CappedOutput(spec.outputBytes ?? bounds.outputBytes, spec.onOutput)
  const stopped = Promise.withResolvers<Stop>()
  const over = new AbortController()
  const io: ExecRun = {
    write: (stream, piece) => {
      if (!over.signal.aborted && !output.write(stream, piece)) stopped.resolve('output')
    },
    stdout: () => output.bytes('stdout'),
    over: over.signal,
  }
  const timer = setTimeout(() => stopped.resolve('timeout'), spec.timeoutMs)
  const onAbort = () => stopped.resolve('abort')
  const onBox = () => stopped.resolve('box')
  signal.addEventListener('abort', onAbort, { once: true })
  ending.signal.addEventListener('abort', onBox, { once: true })
  if (ending.limit !== undefined) onBox()
  try {
    const running = run(io)
    // When a stop wins, killing the box ends the run, and what it then throws concerns nobody.
    running.catch(() => undefined)
    const first = await Promise.race([stopped.promise, running])
    const end = endOf(first)
    if (end === undefined) {
      await bounds.kill()
      throw interrupted(signal)
    }
    if (end.kind !== 'exited') await bounds.kill()
    over.abort()
    return {
      end,
      stdout: output.bytes('stdout'),
      stderr: output.bytes('stderr'),
      truncated: output.truncated,
      durationMs: performance.now() - startedMs,
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    ending.signal.removeEventListener('abort', onBox)
    over.abort()
  }

  /** Undefined: the caller wanted no more of it. A limit of the box outranks how the program took it. */
  function endOf(first: Stop | RunEnd): ExecEnd | undefined {
    if (first === 'abort') return undefined
    if (first === 'output' || (output.truncated && ending.limit === undefined)) {
      return { kind: 'limit', limit: 'output' }
    }
    if (ending.limit !== undefined) return { kind: 'limit', limit: ending.limit }
    if (first === 'timeout') return { kind: 'timeout' }
    return first === 'box' ? { kind: 'limit', limit: 'memory' } : first
  }
}

/** Waits for the box's ending, which may be told a little after the program's own end. */
export async function endingWithin(ms: number, ending: BoxEnding): Promise<boolean> {
  await delay(ms, ending.signal)
  return ending.limit !== undefined
}
