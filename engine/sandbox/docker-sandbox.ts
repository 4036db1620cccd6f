import type Dockerode from 'dockerode'
import type { Readable } from 'node:stream'
import type {
  BoxSpec,
  EngineInfo,
  Owner,
  ReapReport,
  RunningBox,
  Sandbox,
  VolumeSpec,
} from '../../specs/sandbox.ts'
import { Fault } from '../../specs/fault.ts'
import { boxCreateOptions, userProblem } from '../pure/sandbox/container-options.ts'
import { engineStatus } from '../pure/sandbox/engine-fault.ts'
import { BoxEnding } from './box-ending.ts'
import { createContainer } from './create-container.ts'
import { DiskWatch } from './disk-watch.ts'
import { DockerBox } from './docker-box.ts'
import { createVolume, readImage, removeVolume, resolveMounts } from './docker-volumes.ts'
import { engineCall, throwIfAborted, type CallOptions } from './engine-call.ts'
import { engineClient } from './engine-client.ts'
import { engineInfo } from './engine-info.ts'
import { OomWatch } from './oom-watch.ts'
import { currentOwner } from './owner.ts'
import { reap } from './reaper.ts'
import { removeContainer } from './remove-container.ts'

/**
 * The sandbox on a Docker-compatible engine.
 *
 * Theory of operation. A box is a container whose first process only sleeps; programs are execs in it. The first
 * process belongs to a user of its own, so that nothing in the box can end it, and the engine's init above it reaps
 * what programs leave. Time, output, disk and memory kills are watched from here, never asked of the box: any of them
 * ends the box as a whole, because a process that outlived the decision could still write. What a box left is read
 * from the dead container. Everything carries labels that tell run, state directory and maker, so that a later
 * process can remove what a killed one left. Calls that create are not abortable, they are awaited and undone: an
 * aborted create may still create.
 */
export class DockerSandbox implements Sandbox {
  readonly #docker: Dockerode
  readonly #owner: Owner
  readonly #oom: OomWatch
  #hasInit: Promise<boolean> | undefined
  readonly #imageVolumes = new Map<string, Promise<readonly string[]>>()

  private constructor(docker: Dockerode, owner: Owner) {
    this.#docker = docker
    this.#owner = owner
    this.#oom = new OomWatch(docker, owner.process)
  }

  /**
   * Connects to no engine yet: the first call does.
   * @param options.stateDir whose boxes these are; must exist.
   * @param options.dockerHost `unix:///path` or `tcp://host:port`; else DOCKER_HOST, else the usual sockets.
   */
  static connect(options: { readonly stateDir: string; readonly dockerHost?: string }): DockerSandbox {
    return new DockerSandbox(engineClient(options.dockerHost), currentOwner(options.stateDir))
  }

  async info(timeoutMs: number): Promise<EngineInfo> {
    return engineInfo(this.#docker, timeoutMs)
  }

  createVolume(spec: VolumeSpec, signal: AbortSignal): Promise<string> {
    return createVolume(this.#docker, this.#owner, spec, signal)
  }

  removeVolume(name: string): Promise<void> {
    return removeVolume(this.#docker, name)
  }

  readImage(imageId: string, path: string, signal: AbortSignal): Promise<Readable> {
    return readImage(this.#docker, this.#owner, imageId, path, signal)
  }

  /** @param asking bounds of the asking; see `reap`. */
  reap(which: { readonly run: string } | 'orphans', asking?: CallOptions): Promise<ReapReport> {
    return reap(this.#docker, this.#owner, which, asking)
  }

  async startBox(spec: BoxSpec, signal: AbortSignal): Promise<RunningBox> {
    throwIfAborted(signal)
    const problem = userProblem(spec.user)
    if (problem !== undefined) throw new Fault('bug/box-user', problem)
    const [hasInit, imageVolumes, writable] = await Promise.all([
      (this.#hasInit ??= this.#askInit()),
      this.#volumesOfImage(spec.imageId),
      resolveMounts(this.#docker, spec, signal),
    ])
    throwIfAborted(signal)
    const body = boxCreateOptions(spec, this.#owner, { hasInit, imageVolumes })
    const container = await createContainer(this.#docker, spec.kind, body)
    const ending = new BoxEnding()
    const over = new AbortController()
    try {
      const unwatch = await this.#oom.watch(container.id, () => ending.report('memory'))
      over.signal.addEventListener('abort', unwatch, { once: true })
      throwIfAborted(signal)
      await engineCall('container.start', () => container.start())
      throwIfAborted(signal)
    } catch (error) {
      over.abort()
      await removeContainer(container)
      throw error
    }
    const disk = new DiskWatch(this.#docker, writable, spec.limits)
    const box = new DockerBox(container, spec, ending, disk, () => over.abort())
    ending.signal.addEventListener('abort', () => void box.killForLimit(), { once: true })
    void disk.watch(() => ending.report('disk'), over.signal)
    return box
  }

  async #askInit(): Promise<boolean> {
    try {
      const info = (await engineCall('info', () => this.#docker.info())) as { InitBinary?: string }
      return info.InitBinary !== undefined && info.InitBinary !== ''
    } catch (error) {
      this.#hasInit = undefined
      throw error
    }
  }

  /** An id never changes its image, so one look is enough. */
  #volumesOfImage(imageId: string): Promise<readonly string[]> {
    let volumes = this.#imageVolumes.get(imageId)
    if (volumes === undefined) {
      volumes = this.#inspectImage(imageId)
      this.#imageVolumes.set(imageId, volumes)
      volumes.catch(() => this.#imageVolumes.delete(imageId))
    }
    return volumes
  }

  async #inspectImage(imageId: string): Promise<readonly string[]> {
    try {
      const image = await engineCall('image.inspect', () => this.#docker.getImage(imageId).inspect())
      // Absent when an image declares none, whatever the types say.
      return Object.keys((image.Config as { Volumes?: Record<string, unknown> | null }).Volumes ?? {})
    } catch (error) {
      if (engineStatus(error) !== 404) throw error
      throw new Fault('config/image-unknown', `image ${imageId} is not on this engine`, { cause: error })
    }
  }
}
