import { join } from 'node:path'
import type { TreeId } from '../../specs/digest.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Blobs } from '../journal/blobs.ts'
import { DEFAULT_TREE_CAPS } from '../pure/tree-caps.ts'
import { gateTree } from '../pure/tree-gate.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import { dependenciesOf } from '../task/dependencies.ts'
import type { GitTreeStore } from '../trees/git-tree-store.ts'
import { KnownTrees } from '../trees/known-trees.ts'
import { openOutput } from '../trees/open-output.ts'
import type { Workshop } from '../workshop.ts'

/** Counts what makes a patch apply differently: what was remembered under other rules is not taken. */
const PATCH_RULES = '2'

type Delivered = Extract<EventBody, { type: 'delivered' }>
type Opened = Extract<EventBody, { type: 'opened' }>
type Refusal = Extract<Opened['gate'], { kind: 'refused' }>['refusals'][number]

/** A tree before the gate, or why there is none. */
export type BuiltTree =
  | { readonly kind: 'tree'; readonly tree: TreeId; readonly ignored: readonly string[] }
  | { readonly kind: 'refused'; readonly refusals: readonly Refusal[] }

/** Opens what a worker delivered: its tree in our store, then the gate, then what it does to dependencies. */
export async function openDelivery(
  delivered: Delivered,
  prepared: PreparedTask,
  workshop: Workshop,
  blobs: Blobs,
  signal: AbortSignal,
): Promise<Opened> {
  const built = await buildTree(delivered, prepared.base, workshop, blobs, signal)
  const passed = await passGate(built, prepared, workshop.store, signal)
  const { attempt, round } = delivered
  const { tree } = passed
  if (tree === undefined) return { type: 'opened', attempt, round, ...passed }
  const diffLines = await workshop.store.diffLines(prepared.base, tree, signal)
  return { type: 'opened', attempt, round, ...passed, diffLines }
}

/**
 * Puts a tree through the gate and says what it does to dependencies.
 * @param from the tree that it is held against: base, unless it is to land on something else.
 */
export async function passGate(
  built: BuiltTree,
  prepared: PreparedTask,
  store: GitTreeStore,
  signal: AbortSignal,
  from: TreeId = prepared.base,
): Promise<Omit<Opened, 'type' | 'attempt' | 'round' | 'diffLines'>> {
  const nothing = { dependencies: { kind: 'none' }, changed: 0, ignored: [] } as const
  if (built.kind === 'refused') {
    return { ...nothing, ignored: [], gate: { kind: 'refused', refusals: built.refusals.slice(0, 100) } }
  }
  const [before, after] = [await gateTreeOf(from), await gateTreeOf(built.tree)]
  const gate = gateTree(before, after, DEFAULT_TREE_CAPS)
  if (gate.kind === 'refused') {
    return { ...nothing, ignored: [], gate: { kind: 'refused', refusals: gate.refusals.slice(0, 100) } }
  }
  return {
    tree: built.tree,
    gate: { kind: 'passed' },
    dependencies: await dependenciesOf(built.tree, prepared, store, signal),
    changed: gate.changes.length,
    ignored: built.ignored.slice(0, 100),
    ...(gate.notes.length === 0 ? {} : { notes: gate.notes.slice(0, 100) }),
  }

  async function gateTreeOf(tree: TreeId) {
    const entries = await store.list(tree, signal)
    return { entries, linkTargets: await store.linkTargets(entries, signal) }
  }
}

/** A patch applied to base, all or nothing. A patch that does not apply is a refusal of its own. */
export async function treeOfPatch(
  patch: Uint8Array,
  base: TreeId,
  { store, state }: Pick<Workshop, 'store' | 'state'>,
  signal: AbortSignal,
): Promise<BuiltTree> {
  const known = new KnownTrees(join(state.cache, 'trees'), store)
  let reason = ''
  const { tree } = await known.remember(['patch', PATCH_RULES, base, patch], async () => {
    const outcome = await store.applyPatch(base, patch, { signal })
    if (outcome.kind === 'applied') return { tree: outcome.tree }
    reason = outcome.reason
    return {}
  })
  if (tree !== undefined) return { kind: 'tree', tree, ignored: [] }
  return { kind: 'refused', refusals: [{ path: '', reason: 'patch-does-not-apply', detail: reason }] }
}

async function buildTree(
  { end, parcel }: Delivered,
  base: TreeId,
  workshop: Workshop,
  blobs: Blobs,
  signal: AbortSignal,
): Promise<BuiltTree> {
  if (end.kind === 'patch') return treeOfPatch(await blobs.get(parcel), base, workshop, signal)
  if (end.kind === 'limit' && end.limit === 'disk') {
    return {
      kind: 'refused',
      refusals: [{ path: '', reason: 'tree-too-large', detail: 'over the disk limit of its box' }],
    }
  }
  const opened = await openOutput(blobs.stream(parcel), base, { store: workshop.store }, signal)
  if (opened.kind === 'opened') return { kind: 'tree', tree: opened.tree, ignored: opened.ignored }
  return {
    kind: 'refused',
    refusals: [{ path: opened.path, reason: 'unreadable-output', detail: opened.reason }],
  }
}
