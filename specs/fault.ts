/**
 * Faults: what is thrown. Everything that can happen to a run by design (a refuted claim, a patch that does not
 * apply, a product that hangs) is a value; a `Fault` is what is left: a mistake in what the user gave, a broken
 * host, a check set that cannot be used, or a bug of ours.
 */

/** How a fault is treated, by the first part of its code. */
export const FAULT_FAMILIES = {
  /** The user's files or options are wrong. Exit 2, nothing written. */
  config: { exitCode: 2, retry: false },
  /** The check set cannot be used. A run that it happens to is held (`not-sealed`, gap "spec"); a command ends. */
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

/** What the host says when it, and nothing of ours, is at fault. */
const HOST_FAULTS: ReadonlyMap<string, readonly [code: FaultCode, what: string]> = new Map([
  ['ENOSPC', ['infra/disk-full', 'no space is left']],
  ['EDQUOT', ['infra/disk-full', 'the disk quota is used up']],
  ['EIO', ['infra/disk', 'the disk failed']],
  ['EROFS', ['infra/disk', 'the file system is read-only']],
  ['EACCES', ['infra/permission', 'permission denied']],
  ['EPERM', ['infra/permission', 'not permitted']],
  ['EMFILE', ['infra/open-files', 'this process has too many open files']],
  ['ENFILE', ['infra/open-files', 'the host has too many open files']],
  ['ENOMEM', ['infra/memory', 'no memory is left']],
])

/**
 * Any thrown thing as a Fault: a Fault stays itself, an abort becomes `interrupted/aborted`, what the host refused
 * becomes `infra/…` with the path, the rest is a bug.
 */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  if (error instanceof Error && error.name === 'AbortError') {
    return new Fault('interrupted/aborted', 'interrupted', { cause: error })
  }
  const { code, path, syscall } = (error ?? {}) as NodeJS.ErrnoException
  const host = error instanceof Error && typeof code === 'string' ? HOST_FAULTS.get(code) : undefined
  if (host !== undefined) {
    const [family, what] = host
    const where = path ?? syscall ?? 'the host'
    return new Fault(family, `${where}: ${what} (${code})`, { cause: error })
  }
  const message = error instanceof Error ? error.message : String(error)
  return new Fault('bug/unexpected', message, { cause: error })
}
