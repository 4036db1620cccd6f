import type { TreeEntry } from '../../specs/trees.ts'

/**
 * How one path differs. `type`: file, link and gitlink are types. `mode`: only the executable bit. `modified`: the
 * content, and perhaps the executable bit too.
 */
export type TreeChange =
  | { readonly change: 'added'; readonly path: string; readonly after: TreeEntry }
  | { readonly change: 'deleted'; readonly path: string; readonly before: TreeEntry }
  | {
      readonly change: 'modified' | 'mode' | 'type'
      readonly path: string
      readonly before: TreeEntry
      readonly after: TreeEntry
    }

/** What differs between two trees, entry by entry, sorted by path. The order of the entries does not matter. */
export function changesBetween(
  base: readonly TreeEntry[],
  output: readonly TreeEntry[],
): readonly TreeChange[] {
  const before = new Map(base.map((entry) => [entry.path, entry]))
  const after = new Map(output.map((entry) => [entry.path, entry]))
  const changes: TreeChange[] = []
  for (const entry of before.values()) {
    if (!after.has(entry.path)) changes.push({ change: 'deleted', path: entry.path, before: entry })
  }
  for (const entry of after.values()) {
    const old = before.get(entry.path)
    if (old === undefined) changes.push({ change: 'added', path: entry.path, after: entry })
    else if (typeOf(old) !== typeOf(entry)) changes.push(changed('type', old, entry))
    else if (old.objectId !== entry.objectId) changes.push(changed('modified', old, entry))
    else if (old.mode !== entry.mode) changes.push(changed('mode', old, entry))
  }
  return changes.sort((one, other) => comparePaths(one.path, other.path))
}

function changed(change: 'modified' | 'mode' | 'type', before: TreeEntry, after: TreeEntry): TreeChange {
  return { change, path: after.path, before, after }
}

function typeOf(entry: TreeEntry): 'file' | 'link' | 'gitlink' {
  if (entry.mode === '120000') return 'link'
  return entry.mode === '160000' ? 'gitlink' : 'file'
}

/** By UTF-16 code units: the same on every machine, whatever its locale. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
