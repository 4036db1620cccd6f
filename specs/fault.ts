/**
 * Faults: what is thrown. Everything that can happen to a run by design (a refuted claim, a patch that does not
 * apply, a product that hangs) is a value; a `Fault` is what is left: a mistake in what the user gave, a broken
 * host, a check set that cannot be used, or a bug of ours.
 */

/** How a fault is treated, by the first part of its code. */
export const FAULT_FAMILIES = {
  /** The user's files or options are wrong. Exit 2, nothing written. */
  config: { exitCode: 2, retry: false },
  /** The oracle (or its check set) failed. The run is held: gap "spec". */
  oracle: { exitCode: 3, retry: false },
  /** Engine, disk, network or registry. Retried where it can help, then held; never counted against a worker. */
  infra: { exitCode: 4, retry: true },
  /** The user stopped us. */
  interrupted: { exitCode: 130, retry: false },
  /** Ours. */
  bug: { exitCode: 70, retry: false },
} as const

export type FaultFamily = keyof typeof FAULT_FAMILIES
/** `family/what`, for example `config/task` or `infra/engine-unreachable`. */
export type FaultCode = `${FaultFamily}/${string}`

/**
 * An error with a code.
 * @param code `family/what`; the family decides retry and exit code, see {@link FAULT_FAMILIES}.
 * @param message one clear line that names the place (file, field) and what was expected.
 */
export class Fault extends Error {
  readonly code: FaultCode
  constructor(code: FaultCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'Fault'
    this.code = code
  }
}

/** The family of a code. */
export function faultFamily(code: FaultCode): FaultFamily {
  return code.slice(0, code.indexOf('/')) as FaultFamily
}

/** The exit code that a fault ends a command with. */
export function exitCodeOf(code: FaultCode): number {
  return FAULT_FAMILIES[faultFamily(code)].exitCode
}

/** Whether trying again can help. */
export function isRetryable(code: FaultCode): boolean {
  return FAULT_FAMILIES[faultFamily(code)].retry
}

/** Any thrown thing as a Fault: a Fault stays itself, an abort becomes `interrupted/aborted`, the rest is a bug. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof Error && error.name === 'AbortError') {
    return new Fault('interrupted/aborted', 'interrupted', { cause: error })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new Fault('bug/unexpected', message, { cause: error })
}
