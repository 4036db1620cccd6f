import type { TreeEntry } from '../../specs/trees.ts'

type Entry = Pick<TreeEntry, 'path' | 'mode' | 'objectId'>

/** What to do to the entries of an output, and what that comes to. */
export interface OverlayPlan {
  readonly remove: readonly string[]
  /** To be set, also where another entry of that path is. */
  readonly set: readonly Entry[]
  /** Paths, sorted, on which the output differs from base and the result is not the output. */
  readonly replaced: readonly string[]
}

/**
 * The output, with protected paths as in base (D3) and sealed entries over it. An entry that stands in the way of another (a
 * file or a link where a folder has to be, or the reverse) gives way: sealed before base, base before output. So no
 * link of the output is ever on the way to a file that was laid over it.
 */
export function planOverlay(parts: {
  readonly output: readonly Entry[]
  readonly base: readonly Entry[]
  readonly sealed: readonly Entry[]
  readonly isProtected: (path: string) => boolean
}): OverlayPlan {
  const { output, base, sealed, isProtected } = parts
  const final = new Map<string, Entry>()
  for (const entries of [
    sealed,
    base.filter(({ path }) => isProtected(path)),
    output.filter(({ path }) => !isProtected(path)),
  ]) {
    const taken = placesOf(final.keys())
    for (const entry of entries) if (!isInTheWay(entry.path, taken)) final.set(entry.path, entry)
  }
  const before = new Map(output.map((entry) => [entry.path, entry]))
  const origin = new Map(base.map((entry) => [entry.path, entry]))
  const paths = [...new Set([...before.keys(), ...origin.keys(), ...final.keys()])].sort()
  return {
    remove: paths.filter((path) => before.has(path) && !final.has(path)),
    set: [...final.values()].filter((entry) => !isSame(before.get(entry.path), entry)),
    replaced: paths.filter(
      (path) => !isSame(before.get(path), origin.get(path)) && !isSame(before.get(path), final.get(path)),
    ),
  }
}

interface Places {
  readonly leaves: ReadonlySet<string>
  readonly folders: ReadonlySet<string>
}

function placesOf(paths: Iterable<string>): Places {
  const leaves = new Set(paths)
  const folders = new Set([...leaves].flatMap(foldersOf))
  return { leaves, folders }
}

function isInTheWay(path: string, { leaves, folders }: Places): boolean {
  return leaves.has(path) || folders.has(path) || foldersOf(path).some((folder) => leaves.has(folder))
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  return one?.mode === other?.mode && one?.objectId === other?.objectId
}
