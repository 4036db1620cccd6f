import type Dockerode from 'dockerode'
import { Fault } from '../../specs/fault.ts'
import { engineStatus, isAlreadyGone } from '../pure/sandbox/engine-fault.ts'
import { engineCall } from './engine-call.ts'

const GONE_POLL_MS = 50
const GONE_WAIT_MS = 20_000
const REMOVE_TRIES = 3

/** Kills every process of a container and waits until none is left. One that does not run is fine. */
export async function killContainer(container: Dockerode.Container): Promise<void> {
  try {
    await engineCall('container.kill', (abortSignal) => container.kill({ abortSignal }))
  } catch (error) {
    const status = engineStatus(error)
    if (status !== 404 && status !== 409) throw error
  }
  try {
    await engineCall('container.wait', (abortSignal): Promise<unknown> =>
      container.wait({ condition: 'not-running', abortSignal }),
    )
  } catch (error) {
    if (engineStatus(error) !== 404) throw error
  }
}

/**
 * Kills and removes a container with its anonymous volumes, and waits until it is gone. Already gone, or being
 * removed by somebody else, is fine.
 */
export async function removeContainer(container: Dockerode.Container): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await engineCall('container.remove', (abortSignal) =>
        container.remove({ force: true, v: true, abortSignal }),
      )
      return
    } catch (error) {
      if (engineStatus(error) === 404) return
      if (error instanceof Fault && isAlreadyGone(error.cause)) {
        await untilGone(container)
        return
      }
      // A mount that is busy for a moment makes the engine refuse with 500.
      if (tries === REMOVE_TRIES || engineStatus(error) !== 500) throw error
      await sleep(GONE_POLL_MS * tries)
    }
  }
}

async function untilGone(container: Dockerode.Container): Promise<void> {
  const deadlineMs = performance.now() + GONE_WAIT_MS
  while (performance.now() < deadlineMs) {
    try {
      await engineCall('container.inspect', (abortSignal) => container.inspect({ abortSignal }))
    } catch (error) {
      if (engineStatus(error) === 404) return
      throw error
    }
    await sleep(GONE_POLL_MS)
  }
  throw new Fault(
    'infra/engine',
    `container.remove: ${container.id} is still being removed after ${GONE_WAIT_MS} ms`,
  )
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
