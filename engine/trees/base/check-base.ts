import { Fault } from '../../../specs/fault.ts'
import type { TreeId } from '../../../specs/digest.ts'
import type { GateReason } from '../../pure/gate-outcome.ts'
import type { TreeCaps } from '../../pure/tree-caps.ts'
import { gateTree } from '../../pure/tree-gate.ts'
import type { GitTreeStore } from '../git-tree-store.ts'
import { listTree } from '../list-tree.ts'

/**
 * What even a base may not have. Links that leave the tree and names that differ in case only are what some honest
 * repositories have; the gate looks at them when an output brings new ones.
 */
const REFUSED: ReadonlySet<GateReason> = new Set<GateReason>([
  'gitlink',
  'control-character',
  'malformed-path',
  'duplicate-path',
  'dot-git',
  'symlink-empty',
  'symlink-gitmodules',
  'symlink-target-too-long',
  'path-too-long',
  'segment-too-long',
  'path-too-deep',
  'file-too-large',
  'too-many-entries',
  'tree-too-large',
])

/**
 * Whether a tree can be a base.
 * @throws Fault `config/base` that names the first path that cannot be, and why.
 */
export async function requireUsableBase(
  store: GitTreeStore,
  tree: TreeId,
  caps: TreeCaps,
  signal?: AbortSignal,
): Promise<void> {
  const listing = await listTree(store.directory, tree, signal)
  if (listing.kind === 'unreadable') {
    throw new Fault('config/base', `task.yaml: base: ${JSON.stringify(listing.path)}: its name is not UTF-8`)
  }
  const linkTargets = await store.linkTargets(listing.entries, signal)
  const nothing = { entries: [], linkTargets: new Map<string, string>() }
  const outcome = gateTree(nothing, { entries: listing.entries, linkTargets }, caps)
  if (outcome.kind === 'passed') return
  const refusal = outcome.refusals.find(({ reason }) => REFUSED.has(reason))
  if (refusal === undefined) return
  const where = refusal.path === '' ? 'the tree' : JSON.stringify(refusal.path)
  throw new Fault('config/base', `task.yaml: base: ${where}: ${refusal.reason}: ${refusal.detail}`)
}
