import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { treeIdSchema, type TreeId } from '../../specs/digest.ts'
import type { GitTreeStore } from './git-tree-store.ts'

/**
 * Remembers which tree something that never changes led to: a package of that integrity, a patch of those bytes on that
 * base. Only a shortcut: what it says is believed only if the store still has the tree.
 */
export class KnownTrees {
  readonly #directory: string
  readonly #store: GitTreeStore

  /** @param directory for example `<state>/cache/trees`; made when needed. */
  constructor(directory: string, store: GitTreeStore) {
    this.#directory = directory
    this.#store = store
  }

  /** The tree that `make` led to before, else what it leads to now. `make` gives undefined for what is not kept. */
  async remember<T extends { readonly tree?: TreeId }>(
    what: readonly (string | Uint8Array)[],
    make: () => Promise<T>,
  ): Promise<T | { readonly tree: TreeId }> {
    const path = join(this.#directory, keyOf(what))
    const known = treeIdSchema.safeParse((await readFile(path, 'utf8').catch(() => '')).trim())
    if (known.success && (await this.#store.has(known.data))) return { tree: known.data }
    const made = await make()
    if (made.tree !== undefined) await this.#put(path, made.tree)
    return made
  }

  async #put(path: string, tree: TreeId): Promise<void> {
    await mkdir(this.#directory, { recursive: true })
    const temporary = join(this.#directory, `.tmp-${randomUUID()}`)
    await writeFile(temporary, tree)
    await rename(temporary, path)
  }
}

function keyOf(what: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of what) {
    const bytes = Buffer.from(part)
    hash.update(`${bytes.length}:`).update(bytes)
  }
  return hash.digest('hex')
}
