import { setTimeout as sleep } from 'node:timers/promises'
import { isRetryable, toFault } from '../../specs/fault.ts'

const ASK_MS = 2000
const PAUSE_MS = 500
/** An engine that is restarted is back in less; who waits longer is told. */
const WAIT_MS = 60_000

/**
 * Does work that needs the engine. When it failed by the infrastructure, the failure is told only once the engine answers
 * again, so that trying again can help: an engine that is being restarted refuses everything for some seconds.
 * @param answers whether the engine answers, within so many milliseconds.
 * @throws what `work` threw.
 */
export async function whenEngineIsBack<T>(
  work: () => Promise<T>,
  answers: (timeoutMs: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isRetryable(toFault(error).code)) await untilItAnswers(answers, signal)
    throw error
  }
}

async function untilItAnswers(
  answers: (timeoutMs: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + WAIT_MS
  while (!signal.aborted && performance.now() < deadlineMs) {
    const isBack = await answers(ASK_MS).then(
      () => true,
      () => false,
    )
    if (isBack) return
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined)
  }
}
