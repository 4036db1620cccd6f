import { rm } from 'node:fs/promises'
import type { TreeId } from '../../specs/digest.ts'
import type { OverlaidTree, Overlay, TreeEntry } from '../../specs/trees.ts'
import { planOverlay } from '../pure/plan-overlay.ts'
import { git } from './git.ts'
import { openQuarantine, release } from './quarantine.ts'

const NO_OBJECT = '0'.repeat(40)

/**
 * Lays files over a tree in an index of its own, entry by entry: no file system is there whose links could be followed.
 * @param entries of output and base, as the store lists them.
 */
export async function overlayTree(
  storeDirectory: string,
  { output, files, isProtected }: Overlay,
  entries: { readonly output: readonly TreeEntry[]; readonly base: readonly TreeEntry[] },
  signal?: AbortSignal,
): Promise<OverlaidTree> {
  const quarantine = await openQuarantine(storeDirectory)
  try {
    const { gitDirectory } = quarantine
    const at = { gitDirectory, signal }
    const modes = new Map(entries.base.map(({ path, mode }) => [path, mode]))
    const sealed = []
    for (const [path, content] of files) {
      const written = await git(['hash-object', '-w', '--no-filters', '--stdin'], { ...at, stdin: content })
      // A file that base can run stays one: what is sealed of it are its bytes.
      const mode = modes.get(path) === '100755' ? ('100755' as const) : ('100644' as const)
      sealed.push({ path, mode, objectId: written.toString('utf8').trim() })
    }
    const { remove, set, replaced } = planOverlay({ ...entries, sealed, isProtected })
    const lines = [
      ...remove.map((path) => `0 ${NO_OBJECT}\t${path}\0`),
      ...set.map(({ path, mode, objectId }) => `${mode} ${objectId}\t${path}\0`),
    ]
    await git(['read-tree', output], at)
    await git(['update-index', '-z', '--index-info'], { ...at, stdin: lines.join('') })
    const tree: TreeId = (await git(['write-tree'], at)).toString('utf8').trim()
    await release(quarantine, storeDirectory)
    return { tree, replaced }
  } finally {
    await rm(quarantine.scratch, { recursive: true, force: true })
  }
}
