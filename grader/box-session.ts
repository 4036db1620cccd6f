import { randomBytes } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '../specs/fault.ts'
import type { ExecEnd, RunningBox } from '../specs/sandbox.ts'
import { sessionArgv, type HostFiles } from './host-files.ts'
import { readFrames, type Nonces } from './pure/frame.ts'
import { readOffers, type Offers } from './pure/offers.ts'

/** One job for a host, under the wrapper of a session. */
export interface SessionJob {
  readonly runtime: 'node' | 'python' | 'any'
  readonly timeZone: string
  readonly locale: string
  /** How far the clock of the job's processes is ahead; needs an offer. */
  readonly clockAheadS?: number
  /** The Node.js that runs the job, by one of the names that are offered; the image's own when absent. */
  readonly version?: string
  /** Handed to the host; its nonce is added. */
  readonly job: Readonly<Record<string, unknown>>
  /** From the host's first sign of life to its last; with `renewed`, from each sign of life to the next. */
  readonly timeoutMs: number
  readonly renewed?: boolean
}

/** What came out of one job, and how it ended: `told` when the wrapper saw its end and goes on. */
export interface SessionResult {
  readonly stdout: Uint8Array
  readonly nonces: Nonces
  readonly end: ExecEnd
  readonly isOpen: boolean
}

/** For a shell or a host to start in, on a machine that is busy with other things. */
const STARTUP_MS = 60_000
/** A session ends long before; this only must not be the end of a long check. */
const FOREVER_MS = 2_000_000_000
/** All output of a session is kept until it ends, so it ends after so much of it. */
const SESSION_BYTES = 4_000_000
const SESSION_JOBS = 100
/** How long the engine's word of a memory kill may take after a host that was killed. */
const KILL_WORD_MS = 300
const KILLED_CODE = 137
/** The longest line that says that a job is over. */
const END_LINE_BYTES = 300

const nonce = () => randomBytes(16).toString('hex')

/**
 * A wrapper at work in a box: one exec that runs job after job, each in a fresh process. A job is sent when the one
 * before is over, so nothing that runs in the box can come upon the next.
 */
export class BoxSession {
  readonly #input = new PassThrough()
  readonly #stop = new AbortController()
  readonly #outputBytes: number
  /** Never rejects: a failure of the engine is kept for who waits. */
  readonly #ended: Promise<{ readonly end: ExecEnd } | { readonly error: unknown }>
  #pieces: Buffer[] = []
  #bytes = 0
  #totalBytes = 0
  #jobs = 0
  #onPiece: () => void = () => undefined
  #guarded = false
  #offers: Offers = { clock: false, runtimes: [], terminals: false }

  private constructor(
    box: RunningBox,
    user: string,
    root: string,
    files: Readonly<Record<string, HostFiles>>,
    outputBytes: number,
    people: string | undefined,
    signal: AbortSignal,
  ) {
    this.#outputBytes = outputBytes
    const spec = {
      argv: sessionArgv(root, files, people),
      env: {},
      cwd: '/',
      user,
      stdin: this.#input,
      timeoutMs: FOREVER_MS,
      outputBytes: SESSION_BYTES + 2 * outputBytes,
      onOutput: (stream: 'stdout' | 'stderr', piece: Buffer) => {
        if (stream !== 'stdout') return
        this.#pieces.push(Buffer.from(piece))
        this.#bytes += piece.length
        this.#totalBytes += piece.length
        this.#onPiece()
      },
    }
    this.#ended = box.exec(spec, AbortSignal.any([signal, this.#stop.signal])).then(
      ({ end }) => ({ end }),
      (error: unknown) => ({ error }),
    )
  }

  /**
   * Starts a wrapper as `user` and waits until it is ready.
   * @param outputBytes what one job may write on its channel.
   * @throws Fault `infra/session-not-started`, and what the engine throws.
   */
  static async open(
    box: RunningBox,
    options: {
      readonly user: string
      readonly root: string
      readonly files: Readonly<Record<string, HostFiles>>
      readonly outputBytes: number
      /** A further folder like /tmp that the box has. */
      readonly people?: string | undefined
    },
    signal: AbortSignal,
  ): Promise<BoxSession> {
    const session = new BoxSession(
      box,
      options.user,
      options.root,
      options.files,
      options.outputBytes,
      options.people,
      signal,
    )
    const own = nonce()
    session.#input.write(`${own}\n`)
    const { stdout, end } = await session.#until(own, 'ready', STARTUP_MS, STARTUP_MS)
    const ready = readFrames(stdout, { wrapper: own, host: '' }).frames.find(({ kind }) => kind === 'ready')
    if (ready === undefined) {
      throw new Fault(
        'infra/session-not-started',
        `no shell could be started in the box (${end?.kind ?? 'no answer'})`,
      )
    }
    session.#offers = readOffers(ready.body)
    session.#guarded = ready.body['guarded'] === true && ready.body['left'] === ''
    return session
  }

  /** Whether another job may be given: without a guarded shell, one that ran a product is not trusted with the next. */
  get isSpent(): boolean {
    const full = this.#jobs >= SESSION_JOBS || this.#totalBytes >= SESSION_BYTES
    return full || (this.#jobs > 0 && !this.#guarded)
  }

  /** What the box's image has for jobs that are not plain. */
  get offers(): Offers {
    return this.#offers
  }

  /** Runs one job to its end. After a result that is not open the session and its box are of no more use. */
  async run(job: SessionJob): Promise<SessionResult> {
    this.#jobs += 1
    const nonces = { wrapper: nonce(), host: nonce() }
    const body = Buffer.from(JSON.stringify({ ...job.job, nonce: nonces.host }))
    const { runtime, timeZone, locale, clockAheadS = 0, version = 'own' } = job
    const header = [nonces.wrapper, body.length, runtime, timeZone, locale, clockAheadS, version].join(' ')
    const answer = this.#until(nonces.wrapper, 'end', STARTUP_MS, job.timeoutMs, job.renewed)
    this.#input.write(Buffer.concat([Buffer.from(`${header}\n`), body]))
    const { stdout, end } = await answer
    return { stdout, nonces, end: end ?? { kind: 'exited', code: 0 }, isOpen: end === undefined }
  }

  /** Lets the wrapper come to its end. */
  async close(): Promise<void> {
    this.#input.end()
    await this.#ended
  }

  /**
   * Waits for the wrapper's line of this kind; `end` is undefined when it came.
   * @param firstMs until the first output, @param thenMs from there, @param renewed or from the newest output.
   */
  async #until(
    own: string,
    kind: string,
    firstMs: number,
    thenMs: number,
    renewed = false,
  ): Promise<{ readonly stdout: Uint8Array; readonly end?: ExecEnd }> {
    this.#pieces = []
    this.#bytes = 0
    let timer: NodeJS.Timeout | undefined
    let hasBegun = false
    const told = new Promise<ExecEnd | undefined>((resolve) => {
      const late = () => resolve({ kind: 'timeout' })
      timer = setTimeout(late, firstMs)
      this.#onPiece = () => {
        if (!hasBegun || renewed) {
          hasBegun = true
          clearTimeout(timer)
          timer = setTimeout(late, thenMs)
        }
        if (this.#bytes > this.#outputBytes) resolve({ kind: 'limit', limit: 'output' })
        else if (isEndLine(this.#tail(), own, kind)) resolve(undefined)
      }
    })
    const first = await Promise.race([told.then((end) => ({ end })), this.#ended])
    clearTimeout(timer)
    this.#onPiece = () => undefined
    if ('error' in first) throw first.error
    const end = first.end ?? (await this.#explainKill(own))
    if (end !== undefined && first.end !== undefined) this.#stop.abort()
    return { stdout: Buffer.concat(this.#pieces), ...(end === undefined ? {} : { end }) }
  }

  #tail(): string {
    const last = this.#pieces.slice(-3)
    return Buffer.concat(last).subarray(-END_LINE_BYTES).toString('latin1')
  }

  /** A host that was killed may have met the box's memory limit; the engine says so a moment later. */
  async #explainKill(own: string): Promise<ExecEnd | undefined> {
    if (!this.#tail().includes(`${own} end {"code":${KILLED_CODE},`)) return undefined
    const silence = delay(KILL_WORD_MS).then(() => undefined)
    const word = await Promise.race([this.#ended, silence])
    if (word === undefined) return undefined
    if ('error' in word) throw word.error
    return word.end
  }
}

function isEndLine(tail: string, own: string, kind: string): boolean {
  if (!tail.endsWith('\n')) return false
  const start = tail.lastIndexOf('\n', tail.length - 2) + 1
  return tail.startsWith(`${own} ${kind} `, start)
}
