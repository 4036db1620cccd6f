import type { TreeId } from '../../specs/digest.ts'
import { git } from './git.ts'

/**
 * Trees are kept from git's clean-up by a ref to a commit that says nothing: same tree, same commit, so that it can
 * also be what a worker gets as its only history.
 */
export const NEUTRAL_IDENTITY = 'Base <base@invalid>'
export const NEUTRAL_TIME = '946684800 +0000'
export const NEUTRAL_MESSAGE = 'Base\n'

/** The ref that keeps a tree. */
export function treeRef(tree: TreeId): string {
  return `refs/assay/trees/${tree}`
}

/**
 * Writes the neutral commit of a tree that is in the repository; returns its id.
 * @param parent a commit that it stands on; none when absent.
 */
export async function commitTree(
  gitDirectory: string,
  tree: TreeId,
  signal?: AbortSignal,
  parent?: string,
): Promise<string> {
  const name = NEUTRAL_IDENTITY.slice(0, NEUTRAL_IDENTITY.indexOf(' <'))
  const email = NEUTRAL_IDENTITY.slice(NEUTRAL_IDENTITY.indexOf('<') + 1, -1)
  const id = await git(['commit-tree', tree, ...(parent === undefined ? [] : ['-p', parent])], {
    gitDirectory,
    signal,
    stdin: NEUTRAL_MESSAGE,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: NEUTRAL_TIME,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: NEUTRAL_TIME,
    },
  })
  return id.toString('utf8').trim()
}
