import { constants } from 'node:fs'
import { lstat, open, readdir, readlink, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TreeId } from '../../../specs/digest.ts'
import type { TreeCaps } from '../../pure/tree-caps.ts'
import type { GitTreeStore } from '../git-tree-store.ts'
import type { TreeWriter } from '../tree-writer.ts'
import { baseFault } from './base-fault.ts'

/**
 * The tree of a folder: everything in it but `.git`, whatever any ignore file says, and but our own state folder
 * when it is in there. Links are taken as links.
 * @param leaveOut another folder, absolute, that is no part of it.
 * @throws Fault `config/base` for what a tree cannot hold (a device, a FIFO, a socket, a name that is not UTF-8).
 */
export async function treeFromDirectory(
  directory: string,
  store: GitTreeStore,
  caps: TreeCaps,
  signal: AbortSignal,
  leaveOut?: string,
): Promise<TreeId> {
  const found = await stat(directory).catch(() => undefined)
  if (found?.isDirectory() !== true) throw baseFault('path', `${directory}: expected a folder; there is none`)
  const writer = await store.openWriter(signal)
  try {
    const leftOut = new Set([dirname(store.directory), ...(leaveOut === undefined ? [] : [leaveOut])])
    await new DirectoryReading(writer, caps, leftOut, signal).folder(directory, '')
    return await writer.finish()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

class DirectoryReading {
  readonly #writer: TreeWriter
  readonly #caps: TreeCaps
  readonly #leftOut: ReadonlySet<string>
  readonly #signal: AbortSignal
  #entries = 0
  #totalBytes = 0

  constructor(writer: TreeWriter, caps: TreeCaps, leftOut: ReadonlySet<string>, signal: AbortSignal) {
    this.#writer = writer
    this.#caps = caps
    this.#leftOut = leftOut
    this.#signal = signal
  }

  /** @param at path in the tree, '' or with a final slash. */
  async folder(directory: string, at: string): Promise<void> {
    this.#signal.throwIfAborted()
    for (const bytes of (await readdir(directory, { encoding: 'buffer' })).sort((a, b) => a.compare(b))) {
      const name = bytes.toString('utf8')
      const path = at + name
      if (!Buffer.from(name).equals(bytes)) throw baseFault('path', `${path}: its name is not UTF-8`)
      if (name === '.git') continue
      await this.#entry(join(directory, name), path)
    }
  }

  async #entry(file: string, path: string): Promise<void> {
    const found = await lstat(file)
    if (found.isDirectory()) {
      if (this.#leftOut.has(file)) return
      await this.folder(file, `${path}/`)
      return
    }
    this.#entries += 1
    if (this.#entries > this.#caps.entries) throw baseFault('path', `more than ${this.#caps.entries} files`)
    if (found.isSymbolicLink()) {
      await this.#writer.add(path, '120000', await readlink(file, { encoding: 'buffer' }))
    } else if (found.isFile()) {
      await this.#file(file, path)
    } else {
      throw baseFault(
        'path',
        `${path}: expected a file, a folder or a link, and it is a device, a FIFO or a socket`,
      )
    }
  }

  async #file(file: string, path: string): Promise<void> {
    // Opened without following: between the look and the opening it may have become a link.
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { size, mode } = await handle.stat()
      this.#totalBytes += size
      if (size > this.#caps.fileBytes || this.#totalBytes > this.#caps.totalBytes) {
        const { fileBytes, totalBytes } = this.#caps
        throw baseFault('path', `${path}: more than ${fileBytes} bytes in a file or ${totalBytes} in all`)
      }
      const content = handle.createReadStream({ autoClose: false })
      await this.#writer.addStream(path, (mode & 0o100) !== 0 ? '100755' : '100644', size, content)
    } finally {
      await handle.close()
    }
  }
}
