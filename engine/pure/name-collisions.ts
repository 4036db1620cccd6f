import type { TreeEntry } from '../../specs/trees.ts'

/** A name (of a file or of a folder) that the output brings and that another one of its tree would be mixed up with. */
export interface Collision {
  readonly path: string
  readonly other: string
}

// Code points that HFS+ leaves out when it compares names.
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/** A name as the least careful file system compares it: without case, in one Unicode form. */
function foldName(name: string): string {
  // Upper case first: it unfolds what has more than one lower form (ß and ss, ς and σ).
  return name.replace(IGNORED, '').normalize('NFD').toUpperCase().toLowerCase().normalize('NFD')
}

/**
 * Names of the output that fold to the same as another name of it, where at least one of them is not in base.
 * Folders count: `Lib/a` and `lib/b` are one folder on some file systems and two on others.
 */
export function collisionsOf(base: readonly TreeEntry[], output: readonly TreeEntry[]): readonly Collision[] {
  const inBase = namesOf(base)
  const spellings = new Map<string, string[]>()
  for (const name of namesOf(output)) {
    const folded = foldName(name)
    const others = spellings.get(folded)
    if (others === undefined) spellings.set(folded, [name])
    else others.push(name)
  }
  return [...spellings.values()].flatMap((names) => {
    if (names.length < 2) return []
    const sorted = names.toSorted()
    return sorted
      .filter((name) => !inBase.has(name))
      .map((path) => ({ path, other: sorted.find((name) => name !== path) ?? '' }))
  })
}

/** All files and all folders on the way to them. */
function namesOf(entries: readonly TreeEntry[]): Set<string> {
  const names = new Set<string>()
  for (const { path } of entries) {
    names.add(path)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (names.has(folder)) break
      names.add(folder)
    }
  }
  return names
}
