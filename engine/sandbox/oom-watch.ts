import type Dockerode from 'dockerode'
import type { Readable } from 'node:stream'
import { LABEL } from '../pure/sandbox/labels.ts'
import { asReadable, engineCall } from './engine-call.ts'

const RECONNECT_MS = 250
const MAX_LINE_CHARACTERS = 65_536

/**
 * Listens to the engine's `oom` events for the boxes of this process. The kernel tells the engine of each out-of-memory
 * kill in a box's memory cgroup (v1 and v2 alike), whichever process was hit; a box's own state only tells of its first.
 *
 * Invariant: one stream for all boxes, open exactly while there are boxes; it never keeps the process alive.
 */
export class OomWatch {
  readonly #docker: Dockerode
  readonly #maker: string
  readonly #listeners = new Map<string, () => void>()
  #stream: Promise<Readable> | undefined

  constructor(docker: Dockerode, maker: string) {
    this.#docker = docker
    this.#maker = maker
  }

  /** Call before the box is started. Returns the function that ends it. */
  async watch(containerId: string, onOom: () => void): Promise<() => void> {
    this.#listeners.set(containerId, onOom)
    const unwatch = () => {
      this.#listeners.delete(containerId)
      this.#closeWhenIdle()
    }
    try {
      await (this.#stream ??= this.#open())
    } catch (error) {
      this.#stream = undefined
      unwatch()
      throw error
    }
    return unwatch
  }

  async #open(sinceSeconds?: number): Promise<Readable> {
    const filters = {
      type: ['container' as const],
      event: ['oom'],
      label: [`${LABEL.process}=${this.#maker}`],
    }
    // The signal of the call is not passed on: it would end the stream when the call's time is over.
    const answer = await engineCall('events', () =>
      this.#docker.getEvents({ filters, ...(sinceSeconds === undefined ? {} : { since: sinceSeconds }) }),
    )
    const stream = asReadable('events', answer)
    const { socket } = stream as Readable & { socket?: { unref(): void } }
    socket?.unref()
    let text = ''
    stream.on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString('utf8')).split('\n')
      text = (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS)
      for (const line of lines) this.#onEvent(line)
    })
    const lost = () => this.#reopen(stream)
    stream.once('close', lost)
    stream.on('error', () => stream.destroy())
    return stream
  }

  #onEvent(line: string): void {
    const id = eventContainer(line)
    if (id !== undefined) this.#listeners.get(id)?.()
  }

  /** The engine closed the stream: ask again, from a little before, so that nothing is missed. */
  #reopen(closed: Readable): void {
    closed.removeAllListeners('data')
    this.#stream = undefined
    if (this.#listeners.size === 0) return
    const since = Math.floor(Date.now() / 1000) - 2
    setTimeout(() => {
      if (this.#listeners.size === 0 || this.#stream !== undefined) return
      this.#stream = this.#open(since)
      this.#stream.catch(() => this.#reopen(closed))
    }, RECONNECT_MS).unref()
  }

  #closeWhenIdle(): void {
    if (this.#listeners.size > 0 || this.#stream === undefined) return
    const stream = this.#stream
    this.#stream = undefined
    stream.then(
      (open) => open.removeAllListeners('close').destroy(),
      () => undefined,
    )
  }
}

/** The container that an event line names; anything else is not for us. */
function eventContainer(line: string): string | undefined {
  try {
    const event = JSON.parse(line) as { Actor?: { ID?: unknown } } | null
    return typeof event?.Actor?.ID === 'string' ? event.Actor.ID : undefined
  } catch {
    return undefined
  }
}
