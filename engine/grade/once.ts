import { setMaxListeners } from 'node:events'

/** Work that is asked for again while it is under way is done once: who comes later waits for the first. */
export class Once<T> {
  readonly #underWay = new Map<string, Promise<T>>()

  /**
   * @param signal ends the waiting, and is for `work` to end on. Work that failed or was ended by the signal of who
   * began it is begun anew by who waits.
   * @returns `shared` when somebody else's work gave the value.
   */
  async run(
    key: string,
    work: () => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ readonly value: T; readonly shared: boolean }> {
    for (let other = this.#underWay.get(key); other !== undefined; other = this.#underWay.get(key)) {
      const seen = await untilAborted(
        other.then(
          (value) => ({ value }),
          () => undefined,
        ),
        signal,
      )
      if (seen !== undefined) return { value: seen.value, shared: true }
    }
    const own = work()
    this.#underWay.set(key, own)
    try {
      return { value: await own, shared: false }
    } finally {
      this.#underWay.delete(key)
    }
  }
}

async function untilAborted<T>(waited: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const over = new AbortController()
  setMaxListeners(0, signal)
  try {
    return await Promise.race([
      waited,
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal })
      }),
    ])
  } finally {
    over.abort()
  }
}
