import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { Fault } from '../../specs/fault.ts'
import type { TreeId } from '../../specs/digest.ts'
import { git, runGit } from './git.ts'
import { listTree } from './list-tree.ts'
import { treeRef } from './neutral-commit.ts'
import { updateRefs } from './update-refs.ts'

const PREFIX = 'refs/assay/trees/'

/** A git bundle of the neutral commits that keep the trees. */
export async function exportTrees(
  gitDirectory: string,
  trees: readonly TreeId[],
  file: string,
  signal?: AbortSignal,
): Promise<void> {
  await git(['bundle', 'create', '--quiet', resolve(file), ...[...new Set(trees)].map(treeRef)], {
    gitDirectory,
    signal,
  })
}

/** Fetches into refs of its own first: a tree is kept under its name only when that name is true. */
export async function importTrees(
  gitDirectory: string,
  file: string,
  signal?: AbortSignal,
): Promise<readonly TreeId[]> {
  const incoming = `refs/assay/incoming/${randomUUID()}/`
  const fetched = await runGit(
    ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', resolve(file), `+${PREFIX}*:${incoming}*`],
    { gitDirectory, signal, env: { GIT_ALLOW_PROTOCOL: 'file' } },
  )
  if (fetched.code !== 0) {
    throw new Fault('config/bundle', `${file}: expected a bundle of trees: ${fetched.stderr}`)
  }
  const refs = (
    await git(['for-each-ref', '--format=%(refname) %(objectname) %(tree)', incoming], {
      gitDirectory,
      signal,
    })
  )
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' '))
  try {
    const trees: TreeId[] = []
    for (const [ref = '', commit = '', tree = ''] of refs) {
      if (ref.slice(incoming.length) !== tree) {
        throw new Fault(
          'config/bundle',
          `${file}: expected tree ${ref.slice(incoming.length)} and got ${tree || 'none'}`,
        )
      }
      const listing = await listTree(gitDirectory, tree, signal)
      if (listing.kind === 'unreadable') {
        throw new Fault(
          'config/bundle',
          `${file}: tree ${tree} holds a name that is not UTF-8: ${listing.path}`,
        )
      }
      await updateRefs(gitDirectory, [`update ${treeRef(tree)} ${commit}`])
      trees.push(tree)
    }
    return trees.sort()
  } finally {
    await updateRefs(
      gitDirectory,
      refs.map(([ref = '']) => `delete ${ref}` as const),
    )
  }
}
