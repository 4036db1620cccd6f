import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { addAbortSignal } from 'node:stream'
import type {
  BoxKind,
  BoxLimit,
  BoxProcess,
  BoxSpec,
  ExecResult,
  ExecSpec,
  RunningBox,
  StoppedBox,
} from '../../specs/sandbox.ts'
import { Fault } from '../../specs/fault.ts'
import { userProblem, waiterUser } from '../pure/sandbox/container-options.ts'
import { boundedExec, type ExecRun, type RunEnd } from './bounded-exec.ts'
import { BoxEnding } from './box-ending.ts'
import { throwIfAborted } from './engine-call.ts'
import { FakeFiles, type FakeMount } from './fake-files.ts'
import { tarOfTree, type FakeTree } from './fake-volume.ts'

/** What a fake program is given. */
interface ProgramIo {
  readonly argv: readonly [string, ...string[]]
  /** The image's, the box's and the exec's variables, the later over the earlier. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly user: string
  readonly stdin: Buffer
  readonly files: FakeFiles
  /** Aborted when the program is to be gone: it was killed. */
  readonly signal: AbortSignal
  readonly stdout: (text: string | Uint8Array) => void
  readonly stderr: (text: string | Uint8Array) => void
  /** Leaves a process of this command line behind. */
  readonly leave: (command: string) => void
  /** Hits a limit that a fake cannot measure. */
  readonly exceed: (limit: BoxLimit) => void
}

/** A program of a fake box. Returns its exit code; an error thrown is exit code 1 with the message on stderr. */
export type FakeProgram = (io: ProgramIo) => number | Promise<number>

const FIRST_PID = 100

/** A box in memory. Made by `FakeSandbox.startBox`. */
export class FakeBox implements RunningBox, StoppedBox {
  readonly id: string
  readonly kind: BoxKind
  readonly #spec: BoxSpec
  readonly #programs: Readonly<Record<string, FakeProgram>>
  readonly #trees: readonly FakeTree[]
  readonly #tmpfs: readonly FakeMount[]
  readonly #ending = new BoxEnding()
  readonly #onRemoved: () => void
  readonly #gone = Promise.withResolvers<never>()
  #leftovers: BoxProcess[] = []
  #state: 'running' | 'stopped' | 'removed' = 'running'

  /** @param trees of the spec's mounts, in the same order. */
  constructor(
    id: string,
    spec: BoxSpec,
    programs: Readonly<Record<string, FakeProgram>>,
    trees: readonly FakeTree[],
    onRemoved: () => void,
  ) {
    this.id = id
    this.kind = spec.kind
    this.#spec = spec
    this.#programs = programs
    this.#trees = trees
    const folders = spec.tmpfs ?? []
    this.#tmpfs = folders.map((path) => ({
      mount: { path, readOnly: false },
      tree: new Map(),
      isTmpfs: true,
    }))
    this.#onRemoved = onRemoved
    this.#gone.promise.catch(() => undefined)
  }

  async exec(spec: ExecSpec, signal: AbortSignal): Promise<ExecResult> {
    if (this.#state !== 'running' && this.#ending.limit === undefined) {
      throw new Fault('infra/box-lost', 'the box was ended before: nothing can run in it')
    }
    const problem = userProblem(spec.user ?? this.#spec.user, waiterUser(this.#spec.user))
    if (problem !== undefined) throw new Fault('bug/box-user', problem)
    const bounds = {
      outputBytes: this.#spec.limits.outputBytes,
      ending: this.#ending,
      kill: () => {
        this.#kill()
        return Promise.resolve()
      },
    }
    return await boundedExec(bounds, spec, signal, (io) => this.#run(spec, io))
  }

  async #run(spec: ExecSpec, run: ExecRun): Promise<RunEnd> {
    const program = this.#programs[spec.argv[0]]
    if (program === undefined) return { kind: 'exited', code: 127 }
    const volumes = this.#spec.mounts.map((mount, index) => ({
      mount,
      tree: this.#trees[index] ?? new Map<never, never>(),
      isTmpfs: false,
    }))
    const user = spec.user ?? this.#spec.user
    const code = await Promise.race([
      this.#gone.promise,
      outcomeOf(program, {
        argv: spec.argv,
        env: { ...this.#spec.env, ...spec.env },
        cwd: spec.cwd ?? this.#spec.workdir,
        user,
        stdin: await wholeOf(spec.stdin),
        files: new FakeFiles([...volumes, ...this.#tmpfs], this.#spec.limits, () =>
          this.#ending.report('disk'),
        ),
        signal: run.over,
        stdout: (text) => run.write('stdout', Buffer.from(text as Uint8Array)),
        stderr: (text) => run.write('stderr', Buffer.from(text as Uint8Array)),
        leave: (command) => this.#leave(Number.parseInt(user, 10), command),
        exceed: (limit) => this.#ending.report(limit),
      }),
    ])
    return { kind: 'exited', code }
  }

  #leave(uid: number, command: string): void {
    this.#leftovers.push({ uid, pid: FIRST_PID + this.#leftovers.length, command })
  }

  processes(signal: AbortSignal): Promise<readonly BoxProcess[]> {
    throwIfAborted(signal)
    return Promise.resolve([...this.#leftovers])
  }

  stop(): Promise<StoppedBox> {
    this.#kill()
    return Promise.resolve(this)
  }

  readTar(path: string, signal: AbortSignal): Promise<Readable> {
    for (const [index, { path: at }] of this.#spec.mounts.entries()) {
      if (path !== at && !path.startsWith(`${at}/`)) continue
      const tar = tarOfTree(this.#trees[index] ?? new Map<never, never>(), path.slice(at.length + 1))
      if (tar !== undefined) return Promise.resolve(addAbortSignal(signal, tar))
    }
    return Promise.reject(new Fault('config/path-unknown', `${path}: no such path`))
  }

  destroy(): Promise<void> {
    this.#kill()
    if (this.#state !== 'removed') this.#onRemoved()
    this.#state = 'removed'
    return Promise.resolve()
  }

  #kill(): void {
    this.#gone.reject(new Fault('infra/box-lost', 'the box was ended while a program ran in it'))
    this.#leftovers = []
    if (this.#state === 'running') this.#state = 'stopped'
  }
}

async function outcomeOf(program: FakeProgram, io: ProgramIo): Promise<number> {
  try {
    return await program(io)
  } catch (error) {
    io.stderr(`${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

async function wholeOf(stdin: ExecSpec['stdin']): Promise<Buffer> {
  return stdin === undefined || stdin instanceof Uint8Array ? Buffer.from(stdin ?? []) : await buffer(stdin)
}
