import type Dockerode from 'dockerode'
import type { Readable } from 'node:stream'
import type {
  BoxKind,
  BoxProcess,
  BoxSpec,
  ExecResult,
  ExecSpec,
  RunningBox,
  StoppedBox,
} from '../../specs/sandbox.ts'
import { Fault } from '../../specs/fault.ts'
import { isGvisor, userProblem, waiterUser } from '../pure/sandbox/container-options.ts'
import { parseTop, type TopTable } from '../pure/sandbox/top-table.ts'
import type { BoxEnding } from './box-ending.ts'
import type { DiskWatch } from './disk-watch.ts'
import { readArchive } from './docker-archive.ts'
import { dockerExec, type ExecHost } from './docker-exec.ts'
import { engineCall } from './engine-call.ts'

import { processesInside } from './processes-inside.ts'
import { killContainer, removeContainer } from './remove-container.ts'

/** A started container. Made by `DockerSandbox.startBox`. */
export class DockerBox implements RunningBox, StoppedBox {
  readonly id: string
  readonly kind: BoxKind
  readonly #container: Dockerode.Container
  readonly #spec: BoxSpec
  readonly #ending: BoxEnding
  readonly #disk: DiskWatch
  readonly #release: () => void
  #kill: Promise<void> | undefined
  #removal: Promise<void> | undefined

  /** @param release ends the watchers of this box; called once it runs no more. */
  constructor(
    container: Dockerode.Container,
    spec: BoxSpec,
    ending: BoxEnding,
    disk: DiskWatch,
    release: () => void,
  ) {
    this.id = container.id
    this.kind = spec.kind
    this.#container = container
    this.#spec = spec
    this.#ending = ending
    this.#disk = disk
    this.#release = release
  }

  async exec(spec: ExecSpec, signal: AbortSignal): Promise<ExecResult> {
    if (this.#kill !== undefined && this.#ending.limit === undefined) {
      throw new Fault('infra/box-lost', 'the box was ended before: nothing can run in it')
    }
    const problem = userProblem(spec.user ?? this.#spec.user, waiterUser(this.#spec.user))
    if (problem !== undefined) throw new Fault('bug/box-user', problem)
    const result = await dockerExec(this.#host(), { ...spec, cwd: spec.cwd ?? this.#spec.workdir }, signal)
    if (result.end.kind === 'limit' || !(await this.#disk.isOverNow(signal))) return result
    this.#ending.report('disk')
    await this.#killOnce()
    return { ...result, end: { kind: 'limit', limit: 'disk' } }
  }

  async processes(signal: AbortSignal): Promise<readonly BoxProcess[]> {
    const waiter = waiterUser(this.#spec.user)
    const table = isGvisor(this.#spec.runtime)
      ? await processesInside(this.#host(), waiter, signal)
      : ((await engineCall('container.top', () => this.#container.top({ ps_args: '-eo uid,pid,args' }), {
          signal,
        })) as TopTable)
    return parseTop(table, Number(waiter.split(':', 1)[0]))
  }

  async stop(): Promise<StoppedBox> {
    await this.#killOnce()
    return this
  }

  readTar(path: string, signal: AbortSignal): Promise<Readable> {
    return readArchive(this.#container, path, signal)
  }

  destroy(): Promise<void> {
    this.#removal ??= this.#remove()
    return this.#removal
  }

  #host(): ExecHost {
    return {
      container: this.#container,
      user: this.#spec.user,
      outputBytes: this.#spec.limits.outputBytes,
      ending: this.#ending,
      kill: () => this.#killOnce(),
    }
  }

  async #remove(): Promise<void> {
    this.#kill ??= Promise.resolve()
    this.#release()
    try {
      await removeContainer(this.#container)
    } catch (error) {
      this.#removal = undefined
      throw error
    }
  }

  /** Every process dies with the first one of its namespace. */
  async #killOnce(): Promise<void> {
    this.#kill ??= killContainer(this.#container)
    try {
      await this.#kill
    } catch (error) {
      this.#kill = undefined
      throw error
    }
    this.#release()
  }

  /** Kills the box because a limit was hit. A failure shows at the next use of the box, which tries again. */
  async killForLimit(): Promise<void> {
    await this.#killOnce().catch(() => undefined)
  }
}
