import type { TreeId } from '../../specs/digest.ts'
import type { TreeEntry } from '../../specs/trees.ts'
import type { DependencyFile } from '../pure/dependency-change.ts'
import { dependencyFileKind } from '../pure/dependency-files.ts'
import type { GitTreeStore } from './git-tree-store.ts'

/** Stands for what no file format reads: a manifest that is a link is never taken for what it leads to. */
const NO_FILE = '(not a regular file)'

/** The manifests and lockfiles that differ between two trees, with their contents. */
export async function changedDependencyFiles(
  store: GitTreeStore,
  base: TreeId,
  output: TreeId,
  signal?: AbortSignal,
): Promise<readonly DependencyFile[]> {
  const text = async (tree: TreeId, entry: TreeEntry | undefined): Promise<string | undefined> => {
    if (entry === undefined) return undefined
    const bytes = await store.readFile(tree, entry.path, signal)
    return bytes === undefined ? NO_FILE : Buffer.from(bytes).toString('utf8')
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
