import type { TreeId } from '../../specs/digest.ts'
import type { GitTreeStore } from './git-tree-store.ts'
import { readTar, type ReadTarOptions, type TarRead } from './read-tar.ts'
import type { WrittenFile } from './tree-writer.ts'

export type TreeFromTar =
  | { readonly kind: 'read'; readonly tree: TreeId; readonly entries: number; readonly totalBytes: number }
  | Extract<TarRead, { kind: 'refused' }>

/**
 * Reads a tar stream into the store: file by file, as it comes. A refused archive leaves nothing there.
 * @param beforeFinish runs when all bytes were read and before the tree comes to be; what it throws prevents that.
 */
export async function treeFromTar(
  store: GitTreeStore,
  tar: AsyncIterable<Uint8Array>,
  options: ReadTarOptions & { readonly beforeFinish?: () => void },
  signal?: AbortSignal,
): Promise<TreeFromTar> {
  const writer = await store.openWriter(signal)
  const written = new Map<string, WrittenFile>()
  try {
    const read = await readTar(tar, options, async (entry) => {
      signal?.throwIfAborted()
      switch (entry.type) {
        case 'file': {
          const mode = entry.executable ? '100755' : '100644'
          written.set(entry.path, await writer.addStream(entry.path, mode, entry.sizeBytes, entry.content))
          break
        }
        case 'same-file': {
          // readTar hands on a second name only after the first.
          const file = written.get(entry.as) ?? 0
          writer.addAgain(entry.path, entry.executable ? '100755' : '100644', file)
          written.set(entry.path, file)
          break
        }
        case 'link':
          await writer.add(entry.path, '120000', Buffer.from(entry.target))
      }
    })
    if (read.kind === 'refused') {
      await writer.abort()
      return read
    }
    options.beforeFinish?.()
    return { ...read, tree: await writer.finish() }
  } catch (error) {
    await writer.abort()
    throw error
  }
}
