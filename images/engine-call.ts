import { addAbortSignal, Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { Fault } from '../specs/fault.ts'

const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOENT', 'EACCES', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT'])

interface EngineError {
  readonly code?: string
  readonly statusCode?: number
}

/** The engine said that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return statusOf(error) === 404
}

/** The engine said that the thing is in use. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409
}

function statusOf(error: unknown): number | undefined {
  const said = error instanceof Fault ? error.cause : error
  return (said as EngineError | undefined)?.statusCode
}

/** Asking and naming take the engine no time; only what sends or makes an image does. */
const ANSWER_MS = 60_000

/**
 * One request to the engine. When the signal aborts, nobody waits for the answer any longer.
 * @param answerMs how long the engine may take to answer; `Infinity` where it has work to do first.
 * @throws Fault `infra/engine-unreachable` where it does not answer, `infra/engine` for what it answers instead; the
 * fault's cause is the client's error, see {@link isNotFound}.
 */
export async function engineCall<T>(
  signal: AbortSignal,
  request: () => Promise<T>,
  answerMs: number = ANSWER_MS,
): Promise<T> {
  signal.throwIfAborted()
  const late = new AbortController()
  const timer = answerMs === Infinity ? undefined : setTimeout(() => late.abort(new Late(answerMs)), answerMs)
  try {
    return await unlessAborted(request(), AbortSignal.any([signal, late.signal]))
  } catch (error) {
    signal.throwIfAborted()
    throw faultOf(error)
  } finally {
    clearTimeout(timer)
  }
}

class Late extends Error {
  constructor(answerMs: number) {
    super(`no answer within ${answerMs} ms`)
  }
}

function faultOf(error: unknown): unknown {
  const { code, statusCode } = (error ?? {}) as EngineError
  const said = error instanceof Error ? error.message : String(error)
  if (error instanceof Late || UNREACHABLE.has(code ?? '')) {
    const message = `the container engine does not answer (${said})`
    return new Fault('infra/engine-unreachable', message, { cause: error })
  }
  // What has no status did not come from the engine: the host's fault, or a bug.
  if (statusCode === undefined) return error
  return new Fault('infra/engine', `the container engine answered ${statusCode}: ${said}`, { cause: error })
}

async function unlessAborted<T>(call: Promise<T>, over: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(over.reason as Error)
  over.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([call, aborted.promise])
  } finally {
    over.removeEventListener('abort', onAbort)
    // Whatever comes of a call that nobody waits for is no one's error.
    call.catch(() => undefined)
  }
}

/** One line of an engine's answer to build, pull, push or import. */
export interface EngineLine {
  readonly stream?: string
  readonly status?: string
  readonly error?: string
  readonly aux?: { readonly ID?: string; readonly Digest?: string }
}

/** The lines of an engine's streamed answer. Ends the request when the signal says so. */
export async function* engineLines(
  answer: NodeJS.ReadableStream,
  signal: AbortSignal,
): AsyncGenerator<EngineLine> {
  if (!(answer instanceof Readable)) throw new Fault('bug/engine-answer', 'the engine client gave no stream')
  const stream = addAbortSignal(signal, answer)
  let failure: unknown
  stream.once('error', (error) => {
    failure = error
  })
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    if (line.trim() !== '') yield JSON.parse(line) as EngineLine
  }
  signal.throwIfAborted()
  if (failure !== undefined) {
    throw new Fault('infra/engine-unreachable', 'the engine broke off its answer', { cause: failure })
  }
}
