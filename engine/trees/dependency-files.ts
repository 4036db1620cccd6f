import type { TreeId } from '../../specs/digest.ts'
import type { TreeEntry } from '../../specs/trees.ts'
import type { DependencyFile } from '../pure/dependency-change.ts'
import { dependencyFileKind } from '../pure/dependency-files.ts'
import type { GitTreeStore } from './git-tree-store.ts'

/** What is read of one file, and of all together: they are read into the engine's memory (D11). */
const FILE_BYTES = 8 * 2 ** 20
const ALL_BYTES = 32 * 2 ** 20

/** Stands for what no file format reads. Two files differ in it as they differ in their bytes. */
const unread = (why: string, { objectId }: TreeEntry): string => `(${why}: ${objectId})`

/**
 * The manifests and lockfiles that differ between two trees, with their contents. One that is a link is never taken for
 * what it leads to, and one that is too large is not read: both count as changed beyond reading.
 */
export async function changedDependencyFiles(
  store: GitTreeStore,
  base: TreeId,
  output: TreeId,
  signal?: AbortSignal,
): Promise<readonly DependencyFile[]> {
  let roomBytes = ALL_BYTES
  const text = async (tree: TreeId, entry: TreeEntry | undefined): Promise<string | undefined> => {
    if (entry === undefined) return undefined
    if (entry.sizeBytes > Math.min(FILE_BYTES, roomBytes)) return unread('too large to read', entry)
    roomBytes -= entry.sizeBytes
    const bytes = await store.readFile(tree, entry.path, signal)
    return bytes === undefined ? unread('not a regular file', entry) : Buffer.from(bytes).toString('utf8')
  }
  const files: DependencyFile[] = []
  for (const change of await store.changedPaths(base, output, signal)) {
    if (dependencyFileKind(change.path) === undefined) continue
    files.push({
      path: change.path,
      base: await text(base, change.change === 'added' ? undefined : change.before),
      output: await text(output, change.change === 'deleted' ? undefined : change.after),
    })
  }
  return files
}
