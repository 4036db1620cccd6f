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
  return (error as EngineError).statusCode === 404
}

/** The engine said that the thing is in use. */
export function isConflict(error: unknown): boolean {
  return (error as EngineError).statusCode === 409
}

/**
 * One request to the engine.
 * @throws Fault `infra/engine-unreachable` where it does not answer; other errors pass through.
 */
export async function engineCall<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  try {
    return await request()
  } catch (error) {
    signal.throwIfAborted()
    if (UNREACHABLE.has((error as EngineError).code ?? '')) {
      const said = error instanceof Error ? error.message : String(error)
      throw new Fault('infra/engine-unreachable', `the container engine does not answer (${said})`, {
        cause: error,
      })
    }
    throw error
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
