import { Fault } from '../../specs/fault.ts'
import type { TreeId } from '../../specs/digest.ts'
import type { TreeEntry } from '../../specs/trees.ts'
import { git } from './git.ts'

const MODES: Readonly<Record<string, TreeEntry['mode']>> = {
  '100644': '100644',
  // Old trees have group-writable files; git reads them as plain ones.
  '100664': '100644',
  '100755': '100755',
  '120000': '120000',
  '160000': '160000',
}

export type Listing =
  | { readonly kind: 'listed'; readonly entries: readonly TreeEntry[] }
  /** A name that is not UTF-8 has no place in any of our formats. */
  | { readonly kind: 'unreadable'; readonly path: string }

/** All files, links and gitlinks of a tree, in git's order (by the bytes of their paths). */
export async function listTree(gitDirectory: string, tree: TreeId, signal?: AbortSignal): Promise<Listing> {
  const output = await git(['ls-tree', '-r', '-l', '-z', '--full-tree', tree], { gitDirectory, signal })
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const entries: TreeEntry[] = []
  for (let start = 0; start < output.length;) {
    const stop = output.indexOf(0, start)
    const record = output.subarray(start, stop)
    start = stop + 1
    const tab = record.indexOf(9)
    const [mode = '', , objectId = '', size = ''] = record.toString('latin1', 0, tab).split(/ +/)
    const known = MODES[mode]
    if (known === undefined) throw new Fault('infra/tree-read', `tree ${tree} has an entry of mode ${mode}`)
    const pathBytes = record.subarray(tab + 1)
    try {
      entries.push({
        path: utf8.decode(pathBytes),
        mode: known,
        objectId,
        sizeBytes: size === '-' ? 0 : Number(size),
      })
    } catch {
      return { kind: 'unreadable', path: pathBytes.toString('latin1') }
    }
  }
  return { kind: 'listed', entries }
}
