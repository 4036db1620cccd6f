import type { BoxLimits, BoxMount } from '../../specs/sandbox.ts'
import { entryOf, type FakeEntry, type FakeTree } from './fake-volume.ts'

/** What stands at a path of a fake box: a volume, or a tmpfs, which is no disk. */
export interface FakeMount {
  readonly mount: Pick<BoxMount, 'path' | 'readOnly'>
  readonly tree: FakeTree
  readonly isTmpfs: boolean
}

/**
 * The files that a fake program sees: its box's mounts. Paths are absolute. What the real kernel would refuse is
 * thrown as an Error with the kernel's name as `code`.
 */
export class FakeFiles {
  readonly #mounts: readonly FakeMount[]
  readonly #limits: BoxLimits
  readonly #onDiskOver: () => void

  constructor(mounts: readonly FakeMount[], limits: BoxLimits, onDiskOver: () => void) {
    this.#mounts = mounts
    this.#limits = limits
    this.#onDiskOver = onDiskOver
  }

  read(path: string): Buffer {
    const { tree, name } = this.#locate(path)
    const entry = tree.get(name)
    if (entry?.type !== 'file') throw refusal('ENOENT', path)
    return entry.data
  }

  write(path: string, data: string | Uint8Array): void {
    const bytes = Buffer.from(data as Uint8Array)
    if (bytes.length > this.#limits.fileSizeBytes) throw refusal('EFBIG', path)
    this.#put(path, entryOf({ type: 'file', data: bytes }))
  }

  symlink(target: string, path: string): void {
    this.#put(path, entryOf({ type: 'symlink', linkname: target }))
  }

  /** Entries at and below a folder, by absolute path. */
  list(path: string): string[] {
    const { tree, name } = this.#locate(path)
    const below = name === '' ? '' : `${name}/`
    return [...tree.keys()].filter((key) => key !== '' && key.startsWith(below)).sort()
  }

  #put(path: string, entry: FakeEntry): void {
    const { tree, name, mount } = this.#locate(path)
    if (mount.readOnly) throw refusal('EROFS', path)
    const parts = name.split('/')
    for (let depth = 1; depth < parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/')
      if (!tree.has(folder)) tree.set(folder, entryOf({ type: 'directory' }))
    }
    tree.set(name, entry)
    if (this.#isOver()) this.#onDiskOver()
  }

  #isOver(): boolean {
    const entries = this.#mounts
      .filter(({ mount, isTmpfs }) => !mount.readOnly && !isTmpfs)
      .flatMap(({ tree }) => [...tree.values()])
    const usedBytes = entries.reduce((bytes, { data }) => bytes + data.length, 0)
    return usedBytes > this.#limits.diskBytes || entries.length > this.#limits.inodes
  }

  #locate(path: string): FakeMount & { readonly name: string } {
    const found = this.#mounts
      .filter(({ mount }) => path === mount.path || path.startsWith(`${mount.path}/`))
      .sort((a, b) => b.mount.path.length - a.mount.path.length)
      .at(0)
    if (found === undefined) throw refusal('EROFS', path)
    return { ...found, name: path.slice(found.mount.path.length + 1) }
  }
}

function refusal(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
