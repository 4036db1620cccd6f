import { posix } from 'node:path'
import type { CheckSet, Probe } from '../specs/check-set.ts'
import type { Finding } from '../specs/grade.ts'
import type { Observation } from '../specs/observation.ts'
import type { RunningBox } from '../specs/sandbox.ts'
import { callsBefore, PLAIN, variedIn, type Surroundings } from '../specs/surroundings.ts'
import { BoxSession } from './box-session.ts'
import { hosts, isSessionShell } from './host-files.ts'
import { readFrames } from './pure/frame.ts'
import { surroundingsGiven } from './pure/offers.ts'
import { withoutColours } from './pure/colours.ts'
import { filesFor, runtimeOf } from './pure/probe-job.ts'
import { readProbe, type ProbeReading } from './pure/probe-reading.ts'
import type { PlannedRun, PlannedSuite } from './pure/schedule.ts'
import { asIfAt, treePlace, type TreePlace } from './pure/tree-place.ts'
import type { SuiteLaunch } from './suites/framework.ts'

/** Users of the boxes' own, whom product images have in their passwd: one for each session in turn. */
const FIRST_UID = 20_000
const UIDS = 100
/** The folder of one probe in its box. It is the same in every run, so that paths in messages are too. */
const ROOT = '/tmp/run'
/** Where hosts open a suite's report for its runner. */
const REPORT_FD = 3
/** How long a copy of the tree may take, which is no time of the check. */
const COPY_MS = 5_000
/** What calls beside the one that counts have of its time limit, as the hosts give it to them. */
const SHARE_BESIDE = 3
/** How long after its time a host may take to say so itself; one that is stuck in the product cannot. */
const GRACE_MS = 400

const DAY_S = 86_400

/** What one run in a box gave, and whether the box can take another. */
export interface BoxRun {
  readonly reading: ProbeReading
  /** What it had: plain where its image could not give what was planned. */
  readonly surroundings: Surroundings
  readonly isReusable: boolean
}

export interface ProductBoxOptions {
  /** Where the tree stands in the box, read-only. */
  readonly tree: string
  /** Where copies of it stand: a folder of the box like /tmp, if there is one. */
  readonly people: string | undefined
  /** What one run may write on its channel. */
  readonly outputBytes: number
  /** Decides as which user the first session runs. */
  readonly userSeed: number
}

/** One warm box with the tree in it. Runs one probe at a time, each in a fresh process with nothing left of the last. */
export class ProductBox {
  readonly #box: RunningBox
  readonly #tree: string
  readonly #people: string | undefined
  readonly #outputBytes: number
  #session: BoxSession | undefined
  /** The session's, as the surroundings say. */
  #user: string = PLAIN.user
  /** Counts sessions, and so the boxes' own users, from one that the seed decides. */
  #sessions: number
  #runs = 0

  constructor(box: RunningBox, options: ProductBoxOptions) {
    this.#box = box
    this.#tree = options.tree
    this.#people = options.people
    this.#outputBytes = options.outputBytes
    this.#sessions = options.userSeed % UIDS
  }

  /** Whether a probe ran here before: what ended a run may then have been started by another. */
  get isUsed(): boolean {
    return this.#runs > 0
  }

  /**
   * Runs one probe. Nothing but its own scenario, the shared helpers and the inputs of rows over the same scenario get
   * into the box (D5).
   * @throws Fault `infra/…` when the engine failed; the box is then to be destroyed.
   */
  async run(
    { probe, surroundings: planned, suite, others }: PlannedRun,
    files: CheckSet['files'],
    signal: AbortSignal,
  ): Promise<BoxRun> {
    const session = await this.#openSession(planned.user, signal)
    const surroundings = surroundingsGiven(session.offers, planned)
    this.#runs += 1
    const folders = { root: ROOT, people: this.#people }
    const place = treePlace(this.#tree, folders, probe, surroundings)
    const result = await session.run({
      runtime: suite?.framework.runtime ?? runtimeOf(probe),
      timeZone: surroundings.timeZone,
      locale: surroundings.language,
      clockAheadS: Number(surroundings.clock) * DAY_S,
      version: surroundings.runtime,
      job: {
        ...jobOf(probe, suite, files, this.#tree, place),
        ...(others === undefined ? {} : { others }),
        varied: variedIn(surroundings),
      },
      timeoutMs: longestMs(probe, surroundings) + (place.isCopy ? COPY_MS : 0) + GRACE_MS,
    })
    const read = readProbe(probe.row, readFrames(result.stdout, result.nonces), result.end)
    const usual = treePlace(this.#tree, folders, probe)
    const plainly = (seen: Observation) => (surroundings.tty === PLAIN.tty ? seen : withoutColours(seen))
    const reading =
      read.kind === 'observed'
        ? { ...read, observation: plainly(asIfAt(read.observation, place.at, usual.at)) }
        : read
    const isReusable = result.isOpen && reading.kind === 'observed' && reading.tidy
    return { reading, surroundings, isReusable }
  }

  /**
   * Looks from outside at what is still running, when all runs are over: the box itself is not asked.
   * @returns a finding for each process but the session's own shell.
   */
  async inspect(signal: AbortSignal): Promise<readonly Finding[]> {
    const alive = await this.#box.processes(signal)
    const shell = this.#session === undefined ? -1 : alive.findIndex(({ command }) => isSessionShell(command))
    return alive
      .filter((_, index) => index !== shell)
      .map(({ command }) => {
        const detail = `still running after everything was ended: ${command.slice(0, 200)}`
        return { kind: 'leftover-process', detail }
      })
  }

  destroy(): Promise<void> {
    return this.#box.destroy()
  }

  async #openSession(user: string, signal: AbortSignal): Promise<BoxSession> {
    if (this.#session?.isSpent === true || this.#user !== user) {
      await this.#session?.close()
      this.#session = undefined
    }
    if (this.#session === undefined) {
      const uid = user === PLAIN.user ? String(FIRST_UID + (this.#sessions % UIDS)) : user
      this.#sessions += 1
      this.#user = user
      const { node, python } = hosts()
      const options = {
        user: `${uid}:${uid}`,
        root: ROOT,
        files: { node, python },
        outputBytes: this.#outputBytes,
        people: this.#people,
      }
      this.#session = await BoxSession.open(this.#box, options, signal)
    }
    return this.#session
  }
}

/**
 * Earlier calls in the same process have as much time together as the one that counts. Where others are beside that one, it
 * has a multiple of that.
 */
function longestMs({ timeoutMs, service }: Probe, surroundings: Surroundings): number {
  const before = callsBefore(surroundings) === 0 ? 0 : timeoutMs
  const counted = surroundings.overlap === PLAIN.overlap ? timeoutMs : SHARE_BESIDE * timeoutMs
  return before + counted + (service?.ready.timeoutMs ?? 0)
}

/** @param files of the set; for a suite, our own. */
function jobOf(
  probe: Probe,
  suite: PlannedSuite | undefined,
  files: CheckSet['files'],
  tree: string,
  place: TreePlace,
): Readonly<Record<string, unknown>> {
  const own = suite === undefined ? filesFor(probe.scenario, 'scenarios', files) : files
  return {
    alone: true,
    root: ROOT,
    tree,
    mechanism: probe.mechanism,
    scenario: probe.scenario,
    command: probe.command,
    service: probe.service,
    ...(suite === undefined ? {} : { suite: launchOf(suite, place), sealed: suite.files }),
    copyTo: place.isCopy ? place.at : undefined,
    timeoutMs: probe.timeoutMs,
    seed: probe.seed,
    input: probe.input,
    files: Object.fromEntries([...own].map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])),
  }
}

/** A suite has a copy of its tree, and our files where hosts lay them. */
function launchOf({ framework, files, tests, added, nonce }: PlannedSuite, place: TreePlace): SuiteLaunch {
  return framework.launch({
    tree: place.at,
    own: posix.join(ROOT, 'set'),
    tmp: posix.join(ROOT, 'tmp'),
    files,
    tests,
    added,
    reportFd: REPORT_FD,
    nonce,
  })
}
