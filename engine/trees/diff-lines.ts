import type { TreeId } from '../../specs/digest.ts'
import { git } from './git.ts'
import { listTree } from './list-tree.ts'

/**
 * How large the diff between two trees is: lines added and removed; of a binary file that was added or changed, its
 * bytes, since it has no lines.
 */
export async function diffLines(
  gitDirectory: string,
  base: TreeId,
  output: TreeId,
  signal?: AbortSignal,
): Promise<number> {
  const argv = ['diff-tree', '-r', '-z', '--numstat', '--no-renames', '--no-ext-diff', '--no-textconv']
  const text = (await git([...argv, base, output], { gitDirectory, signal })).toString('utf8')
  let lines = 0
  const binary = new Set<string>()
  for (const record of text.split('\0')) {
    const match = /^(\d+|-)\t(\d+|-)\t([\s\S]+)$/.exec(record)
    if (match === null) continue
    const [, added = '-', removed = '-', path = ''] = match
    if (added === '-') binary.add(path)
    else lines += Number(added) + Number(removed)
  }
  if (binary.size === 0) return lines
  const listing = await listTree(gitDirectory, output, signal)
  if (listing.kind === 'unreadable') return lines
  return listing.entries.reduce(
    (sum, { path, sizeBytes }) => (binary.has(path) ? sum + sizeBytes : sum),
    lines,
  )
}
