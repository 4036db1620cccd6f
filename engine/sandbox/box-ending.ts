import type { BoxLimit } from '../../specs/sandbox.ts'

/**
 * The first limit that a box as a whole hit. The watchers report; running execs listen.
 * Invariant: set once, never taken back.
 */
export class BoxEnding {
  readonly #controller = new AbortController()
  #limit: BoxLimit | undefined

  report(limit: BoxLimit): void {
    if (this.#limit !== undefined) return
    this.#limit = limit
    this.#controller.abort()
  }

  get limit(): BoxLimit | undefined {
    return this.#limit
  }

  /** Aborted when a limit was hit. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }
}

/**
 * Resolves when the signal is aborted or after `ms`; leaves no timer and no listener behind.
 * @param isIdle whether waiting so must not keep the process alive.
 */
export function delay(ms: number, signal: AbortSignal, isIdle = false): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    if (isIdle) timer.unref()
    signal.addEventListener('abort', done, { once: true })
  })
}
