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
import { userProblem } from '../pure/sandbox/container-options.ts'
import { isOrphan, LABEL, labelsOf } from '../pure/sandbox/labels.ts'
import { throwIfAborted } from './engine-call.ts'
import { FakeBox, type FakeProgram } from './fake-box.ts'
import { entryOf, tarOfTree, treeOfLayers, type FakeTree } from './fake-volume.ts'

/** What the fakes of one test share, as sandboxes share an engine. */
export interface FakeEngine {
  readonly boxes: Map<string, { readonly labels: Record<string, string>; readonly box: FakeBox }>
  readonly volumes: Map<string, { readonly labels: Record<string, string>; readonly tree: FakeTree }>
  readonly liveProcesses: Set<string>
  made: number
}

/** An engine with nothing on it. */
export function fakeEngine(): FakeEngine {
  return { boxes: new Map(), volumes: new Map(), liveProcesses: new Set(), made: 0 }
}

export interface FakeOptions {
  /** By `argv[0]`. */
  readonly programs: Readonly<Record<string, FakeProgram>>
  /** Files of each image that is there, by image id and absolute path. */
  readonly images: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly engine?: FakeEngine
  readonly process?: string
}

/** The sandbox port in memory: same caps, outcomes and faults as the real one, no engine. */
export class FakeSandbox implements Sandbox {
  readonly engine: FakeEngine
  readonly #options: FakeOptions
  readonly #owner: Owner

  constructor(options: FakeOptions) {
    this.#options = options
    this.engine = options.engine ?? fakeEngine()
    this.#owner = { state: 'fake', process: options.process ?? '1:1' }
    this.engine.liveProcesses.add(this.#owner.process)
  }

  info(): Promise<EngineInfo> {
    return Promise.resolve({
      name: 'fake',
      version: '0',
      apiVersion: '1.41',
      cgroupVersion: '2',
      runtimes: ['fake'],
      securityOptions: ['name=seccomp,profile=default'],
      memoryLimit: true,
      pidsLimit: true,
      cpuLimit: true,
      swapLimit: true,
      cpus: 1,
      memoryBytes: 2 ** 30,
      rootDir: '/',
    })
  }

  async createVolume(spec: VolumeSpec, signal: AbortSignal): Promise<string> {
    throwIfAborted(signal)
    this.#requireImage(spec.imageId)
    const tree = await treeOfLayers(spec.layers)
    throwIfAborted(signal)
    const name = this.#newName(spec.kind)
    this.engine.volumes.set(name, { labels: labelsOf(this.#owner, spec.runId, spec.kind), tree })
    return name
  }

  removeVolume(name: string): Promise<void> {
    this.engine.volumes.delete(name)
    return Promise.resolve()
  }

  async startBox(spec: BoxSpec, signal: AbortSignal): Promise<RunningBox> {
    throwIfAborted(signal)
    const problem = userProblem(spec.user)
    if (problem !== undefined) throw new Fault('bug/box-user', problem)
    this.#requireImage(spec.imageId)
    const trees = spec.mounts.map(({ volume }) => this.#treeFor(volume, spec))
    const id = this.#newName(spec.kind)
    const box = new FakeBox(id, spec, this.#options.programs, trees, () => this.engine.boxes.delete(id))
    this.engine.boxes.set(id, { labels: labelsOf(this.#owner, spec.runId, spec.kind), box })
    return await Promise.resolve(box)
  }

  async readImage(imageId: string, path: string, signal: AbortSignal): Promise<Readable> {
    throwIfAborted(signal)
    const tar = tarOfTree(treeOfImage(this.#requireImage(imageId)), path.replace(/^\/+|\/+$/g, ''))
    if (tar === undefined) throw new Fault('config/path-unknown', `${path}: no such path`)
    return await Promise.resolve(tar)
  }

  async reap(which: { readonly run: string } | 'orphans'): Promise<ReapReport> {
    const isWanted = (labels: Record<string, string>) =>
      which === 'orphans'
        ? isOrphan(labels, this.#owner.state, (maker) => this.engine.liveProcesses.has(maker))
        : labels[LABEL.run] === which.run
    const boxes = [...this.engine.boxes.values()].filter(({ labels }) => isWanted(labels))
    for (const { box } of boxes) await box.destroy()
    const volumes = [...this.engine.volumes].filter(([, { labels }]) => isWanted(labels))
    for (const [name] of volumes) this.engine.volumes.delete(name)
    return { boxes: boxes.length, volumes: volumes.length, networks: 0 }
  }

  #newName(kind: string): string {
    return `fake-${kind}-${++this.engine.made}`
  }

  #requireImage(imageId: string): Readonly<Record<string, string>> {
    const files = this.#options.images[imageId]
    if (files === undefined) throw new Fault('config/image-unknown', `image ${imageId} is not on this engine`)
    return files
  }

  #treeFor(name: string, spec: BoxSpec): FakeTree {
    const volume = this.engine.volumes.get(name)
    if (volume === undefined) throw new Fault('infra/volume-lost', `volume ${name} is gone`)
    if (volume.labels[LABEL.kind] !== spec.kind) {
      throw new Fault('bug/volume-kind', `volume ${name} was not made for a ${spec.kind} box`)
    }
    return volume.tree
  }
}

function treeOfImage(files: Readonly<Record<string, string>>): FakeTree {
  const tree: FakeTree = new Map([['', entryOf({ type: 'directory' })]])
  for (const [path, text] of Object.entries(files)) {
    const parts = path.split('/').filter(Boolean)
    for (let depth = 1; depth < parts.length; depth++) {
      tree.set(parts.slice(0, depth).join('/'), entryOf({ type: 'directory' }))
    }
    tree.set(parts.join('/'), entryOf({ type: 'file', data: Buffer.from(text) }))
  }
  return tree
}
