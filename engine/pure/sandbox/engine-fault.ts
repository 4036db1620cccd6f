import { Fault } from '../../../specs/fault.ts'

/** What the engine's client throws, as far as we look at it. */
interface EngineError {
  readonly message: string
  readonly statusCode?: number
  readonly code?: string
}

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EACCES',
  'EPERM',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'EPIPE',
])

/**
 * The fault that an engine call's error is.
 * @param call name of the call, for the message: `container.start`
 */
export function faultOfEngineError(call: string, error: unknown): Fault {
  if (error instanceof Fault) return error
  const seen = asEngineError(error)
  const said = oneLine(seen.message)
  const options = { cause: error }
  if (seen.statusCode === undefined) {
    if (seen.code !== undefined && UNREACHABLE.has(seen.code)) {
      return new Fault('infra/engine-unreachable', `the container engine does not answer (${said})`, options)
    }
    return new Fault('infra/engine', `${call}: ${said}`, options)
  }
  if (/no such image/i.test(said)) return new Fault('config/image-unknown', said, options)
  if (isUnknownRuntime(said)) {
    const message = `the container engine has no such runtime (assay doctor lists those it has): ${said}`
    return new Fault('config/runtime-unknown', message, options)
  }
  if (/no such (container|exec)|container \S+ is not running/i.test(said)) {
    return new Fault('infra/box-lost', `${call}: ${said}`, options)
  }
  return new Fault('infra/engine', `${call}: ${said}`, options)
}

/** The HTTP status of an engine error, if that is what it is. */
export function engineStatus(error: unknown): number | undefined {
  return asEngineError(error instanceof Fault ? error.cause : error).statusCode
}

/** Whether removing failed only because it is already gone, or going. */
export function isAlreadyGone(error: unknown): boolean {
  const { statusCode, message } = asEngineError(error)
  return statusCode === 404 || (statusCode === 409 && /already in progress/i.test(message))
}

function isUnknownRuntime(said: string): boolean {
  return /unknown runtime specified|unknown or invalid runtime name/i.test(said)
}

function asEngineError(error: unknown): EngineError {
  if (typeof error !== 'object' || error === null) return { message: String(error) }
  const { message, statusCode, code } = error as Record<string, unknown>
  return {
    message: typeof message === 'string' ? message : 'unknown error',
    ...(typeof statusCode === 'number' ? { statusCode } : {}),
    ...(typeof code === 'string' ? { code } : {}),
  }
}

/** Engine messages can quote what a box said: one line, capped. */
function oneLine(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 500)
}
