import { randomUUID } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import type { TreeId } from '../../specs/digest.ts'
import type { GitTreeStore } from './git-tree-store.ts'
import { git } from './git.ts'
import { commitTree } from './neutral-commit.ts'
import { updateRefs } from './update-refs.ts'

/** Brings one tree, wrapped in its neutral commit, from another repository of ours into the store. */
export async function adoptTree(
  store: GitTreeStore,
  tree: TreeId,
  from: string,
  signal: AbortSignal,
): Promise<void> {
  const commit = await commitTree(from, tree, signal)
  const out = `refs/assay/out/${randomUUID()}`
  await updateRefs(from, [`update ${out} ${commit}`])
  const incoming = `refs/assay/incoming/${randomUUID()}`
  await git(
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      pathToFileURL(from).href,
      `+${out}:${incoming}`,
    ],
    { gitDirectory: store.directory, signal, env: { GIT_ALLOW_PROTOCOL: 'file' } },
  )
  await store.keep(tree, signal)
  await updateRefs(store.directory, [`delete ${incoming}`])
  await updateRefs(from, [`delete ${out}`])
}
