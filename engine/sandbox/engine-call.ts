import { Readable } from 'node:stream'
import { Fault } from '../../specs/fault.ts'
import { faultOfEngineError } from '../pure/sandbox/engine-fault.ts'

/** No call to the engine takes this long unless the engine hangs. */
const CALL_TIMEOUT_MS = 60_000

export interface CallOptions {
  /** Ends the waiting. Only for calls that change nothing: an aborted create may still create. */
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

/**
 * One call to the engine, bounded in time; what it throws is a Fault.
 * @param name for the fault's message, for example `container.start`
 */
export async function engineCall<T>(
  name: string,
  run: (abortSignal: AbortSignal) => Promise<T>,
  options: CallOptions = {},
): Promise<T> {
  const timeoutMs = options.timeoutMs ?? CALL_TIMEOUT_MS
  const { signal } = options
  if (signal !== undefined) throwIfAborted(signal)
  const over = new AbortController()
  const isLate = { now: false }
  const timer = setTimeout(() => {
    isLate.now = true
    over.abort()
  }, timeoutMs)
  const onAbort = () => over.abort()
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await unlessAborted(run(over.signal), over.signal)
  } catch (error) {
    if (signal?.aborted === true) throw interrupted(signal)
    if (!isLate.now) throw faultOfEngineError(name, error)
    throw new Fault(
      'infra/engine-unreachable',
      `${name}: no answer from the container engine within ${timeoutMs} ms`,
    )
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Throws `interrupted/aborted` when the signal is aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw interrupted(signal)
}

/** The fault of an aborted signal; a Fault given as the reason stays itself. */
export function interrupted(signal: AbortSignal): Fault {
  if (signal.reason instanceof Fault) return signal.reason
  return new Fault('interrupted/aborted', 'interrupted', { cause: signal.reason })
}

/** Some calls of the client take no signal: then at least nobody waits for them any longer. */
function unlessAborted<T>(call: Promise<T>, over: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(over.reason as Error)
    over.addEventListener('abort', onAbort, { once: true })
    call.then(resolve, reject).finally(() => over.removeEventListener('abort', onAbort))
  })
}

/** The client's type for a streamed answer is wider than what it gives. */
export function asReadable(name: string, stream: NodeJS.ReadableStream): Readable {
  if (stream instanceof Readable) return stream
  throw new Fault('infra/engine', `${name}: the answer is no stream`)
}
