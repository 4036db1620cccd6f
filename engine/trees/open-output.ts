import type { TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import { utf8Length } from '../pure/names.ts'
import { DEFAULT_TREE_CAPS, type TreeCaps } from '../pure/tree-caps.ts'
import type { GitTreeStore } from './git-tree-store.ts'
import { openIgnoreRules } from './ignore-rules.ts'
import { treeFromTar } from './tree-from-tar.ts'

export interface OpenOutputOptions {
  readonly store: GitTreeStore
  readonly caps?: TreeCaps
  /** Leading folders to drop: 1 for an archive of `/box/tree` whose names start with `tree/`. */
  readonly strip?: number
}

export type OpenedOutput =
  | {
      readonly kind: 'opened'
      readonly tree: TreeId
      /** What base's ignore rules left out: files, and whole folders with a final slash. At most 1000 of them. */
      readonly ignored: readonly string[]
      /** How many there were. */
      readonly ignoredCount: number
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly path: string }

const MAX_LISTED = 1000
/** PATH_MAX of Linux. No file system hands out a longer one. */
const MAX_ASKED_BYTES = 4096

/**
 * Opens what a worker left: a tar stream of a stopped box, as hostile as it likes. Base says what is ignored; what
 * the output says (its own `.gitignore`, `info/exclude`, index flags) counts for nothing. A path of base is taken
 * whatever the rules say, and so is a path that is neither in base nor ignored.
 * @throws Fault `infra/parcel-cut-off` when the stream ends early: a worker shapes what is in a box, the engine the archive.
 */
export async function openOutput(
  parcel: AsyncIterable<Uint8Array>,
  base: TreeId,
  options: OpenOutputOptions,
  signal?: AbortSignal,
): Promise<OpenedOutput> {
  const { store, caps = DEFAULT_TREE_CAPS, strip = 0 } = options
  const inBase = new Set((await store.list(base, signal)).map((entry) => entry.path))
  const rules = await openIgnoreRules(store, base, signal)
  const ignored = new IgnoredList()
  const leaveOut = async (path: string, isFolder: boolean): Promise<boolean> => {
    if (inBase.has(path) || utf8Length(path) > MAX_ASKED_BYTES) return false
    const what = await rules.ignored(path, isFolder)
    if (what === undefined) return false
    ignored.add(what)
    return true
  }
  try {
    const read = await treeFromTar(store, parcel, { caps, strip, leaveOut }, signal)
    if (read.kind === 'refused') {
      if (read.isCutOff !== true) return read
      throw new Fault('infra/parcel-cut-off', `what the engine gave of the output is cut off: ${read.reason}`)
    }
    return {
      kind: 'opened',
      tree: read.tree,
      ignored: ignored.listed(),
      ignoredCount: ignored.count,
    }
  } finally {
    await rules.close()
  }
}

/** What was left out, in an archive's order: what stands below one folder comes together. Keeps no more than it lists. */
class IgnoredList {
  readonly #listed = new Set<string>()
  #last: string | undefined
  /** Of a folder whose parts do not come together, each time that it comes. */
  count = 0

  add(what: string): void {
    if (what === this.#last || this.#listed.has(what)) return
    this.#last = what
    this.count += 1
    if (this.#listed.size < MAX_LISTED) this.#listed.add(what)
  }

  listed(): readonly string[] {
    return [...this.#listed].sort()
  }
}
