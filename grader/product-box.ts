import { randomBytes } from 'node:crypto'
import type { CheckSet, Probe } from '../specs/check-set.ts'
import type { Finding } from '../specs/grade.ts'
import type { ExecEnd, RunningBox } from '../specs/sandbox.ts'
import { hosts, wrapperArgv } from './host-files.ts'
import { readFrames, type Nonces } from './pure/frame.ts'
import { filesFor, runtimeOf } from './pure/probe-job.ts'
import { readProbe, type ProbeReading } from './pure/probe-reading.ts'
import type { PlannedRun } from './pure/schedule.ts'

/** Users that product images have in their passwd, one for each probe in turn. */
const FIRST_UID = 20_000
const UIDS = 100
/** The folder of one probe in its box. It is the same in every run, so that paths in messages are too. */
const ROOT = '/tmp/run'
/** For a host to start in, on a machine that is busy with other things. */
const STARTUP_MS = 60_000
/** How long after its time a host may take to say so itself; one that is stuck in the product cannot. */
const GRACE_MS = 400

/** What one run in a box gave, and whether the box can take another. */
export interface BoxRun {
  readonly reading: ProbeReading
  /** Processes that outlived the wrapper's own kill. */
  readonly leftovers: readonly Finding[]
  readonly reusable: boolean
}

/** One warm box with the tree in it. Runs one probe at a time, each in a fresh process of a user of its own. */
export class ProductBox {
  readonly #box: RunningBox
  readonly #tree: string
  #runs = 0

  /** @param tree where the tree stands in the box. */
  constructor(box: RunningBox, tree: string) {
    this.#box = box
    this.#tree = tree
  }

  /** Whether a probe ran here before: what ended a run may then have been started by another. */
  get isUsed(): boolean {
    return this.#runs > 0
  }

  /**
   * Runs one probe. Nothing but its own scenario and the shared helpers get into the box.
   * @throws Fault `infra/…` when the engine failed; the box is then to be destroyed.
   */
  async run(planned: PlannedRun, files: CheckSet['files'], signal: AbortSignal): Promise<BoxRun> {
    const { probe } = planned
    const uid = FIRST_UID + (this.#runs % UIDS)
    this.#runs += 1
    const nonces = { wrapper: randomBytes(16).toString('hex'), host: randomBytes(16).toString('hex') }
    const { end, stdout } = await this.#exec(planned, files, uid, nonces, signal)
    const reading = readProbe(probe.row, readFrames(stdout, nonces), end)
    if (end.kind !== 'exited') return { reading, leftovers: [], reusable: false }
    const alive = await this.#box.processes(signal)
    const leftovers = alive.map(({ command }): Finding => {
      const detail = `still running after everything was killed: ${command.slice(0, 200)}`
      return { kind: 'leftover-process', row: probe.row, detail }
    })
    const tidy = reading.kind === 'observed' && reading.tidy
    return { reading, leftovers, reusable: tidy && leftovers.length === 0 }
  }

  destroy(): Promise<void> {
    return this.#box.destroy()
  }

  /**
   * The check's time starts when the host says hello, not when the engine is asked: a busy machine must not use it up.
   * A product that keeps its thread to itself is ended from here, with its box.
   */
  async #exec(
    { probe, surroundings }: PlannedRun,
    files: CheckSet['files'],
    uid: number,
    nonces: Nonces,
    signal: AbortSignal,
  ): Promise<{ readonly end: ExecEnd; readonly stdout: Uint8Array }> {
    const late = new AbortController()
    const pieces: Buffer[] = []
    let timer: NodeJS.Timeout | undefined
    const onOutput = (stream: 'stdout' | 'stderr', piece: Buffer) => {
      if (stream !== 'stdout') return
      pieces.push(Buffer.from(piece))
      timer ??= setTimeout(() => late.abort(), timeOf(probe) + GRACE_MS)
    }
    const runtime = runtimeOf(probe)
    const { node, python } = hosts()
    try {
      const { end, stdout } = await this.#box.exec(
        {
          argv:
            runtime === 'any'
              ? wrapperArgv(ROOT, runtime, node, python)
              : wrapperArgv(ROOT, runtime, runtime === 'node' ? node : [], runtime === 'node' ? [] : python),
          env: { ASSAY_TZ: surroundings.timeZone, ASSAY_LANG: surroundings.locale },
          cwd: '/',
          user: `${uid}:${uid}`,
          stdin: jobBytes(probe, files, this.#tree, nonces),
          timeoutMs: STARTUP_MS + timeOf(probe),
          onOutput,
        },
        AbortSignal.any([signal, late.signal]),
      )
      return { end, stdout }
    } catch (error) {
      if (!late.signal.aborted || signal.aborted) throw error
      return { end: { kind: 'timeout' }, stdout: Buffer.concat(pieces) }
    } finally {
      clearTimeout(timer)
    }
  }
}

function timeOf(probe: Probe): number {
  return probe.timeoutMs + (probe.service?.ready.timeoutMs ?? 0)
}

function jobBytes(probe: Probe, files: CheckSet['files'], tree: string, nonces: Nonces): Uint8Array {
  const own = [...filesFor(probe.scenario, 'scenarios', files)]
  const job = {
    nonce: nonces.host,
    alone: true,
    root: ROOT,
    tree,
    mechanism: probe.mechanism,
    scenario: probe.scenario,
    command: probe.command,
    service: probe.service,
    writable: probe.writable,
    timeoutMs: probe.timeoutMs,
    seed: probe.seed,
    input: probe.input,
    files: Object.fromEntries(own.map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])),
  }
  return Buffer.from(`${nonces.wrapper}\n${JSON.stringify(job)}`)
}
