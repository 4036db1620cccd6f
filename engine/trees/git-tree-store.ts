import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { Fault } from '../../specs/fault.ts'
import type { TreeId } from '../../specs/digest.ts'
import type {
  OverlaidTree,
  Overlay,
  PatchOutcome,
  SmallFileCaps,
  TarOptions,
  TreeEntry,
  Trees,
} from '../../specs/trees.ts'
import { DEFAULT_TREE_CAPS, type TreeCaps } from '../pure/tree-caps.ts'
import { changesBetween, type TreeChange } from '../pure/tree-changes.ts'
import { applyPatchToTree } from './apply-patch.ts'
import { exportTrees, importTrees } from './bundle.ts'
import { readBlobs } from './cat-file.ts'
import { createStore } from './create-store.ts'
import { diffLines } from './diff-lines.ts'
import { git, runGit } from './git.ts'
import { listTree } from './list-tree.ts'
import { commitTree, treeRef } from './neutral-commit.ts'
import { updateRefs } from './update-refs.ts'
import { oneCommitRepositoryTar } from './one-commit-repository.ts'
import { overlayTree } from './overlay-tree.ts'
import { sweepScratch } from './scratch.ts'
import { tarOfEntries } from './tree-tar.ts'
import { TreeWriter, type FileMode } from './tree-writer.ts'

export interface NewFile {
  readonly path: string
  readonly mode: FileMode
  /** Of a link: its target. */
  readonly content: Uint8Array
}

/** Trees whose lists are kept in memory. A run works on few. */
const KEPT_LISTS = 32

/**
 * The store of trees: one bare git repository that nothing but this part writes. Two processes may use it at once.
 *
 * Invariants: a tree that the store has named has a ref that keeps it, and all of its names are UTF-8.
 */
export class GitTreeStore implements Trees {
  /** The bare repository. */
  readonly directory: string
  readonly #lists = new Map<TreeId, readonly TreeEntry[]>()

  private constructor(directory: string) {
    this.directory = directory
  }

  /**
   * Opens the store, and makes it where there is none.
   * @param directory the bare repository, for example `<state>/store.git`.
   * @throws Fault `config/state` when it cannot be made there.
   */
  static async open(directory: string): Promise<GitTreeStore> {
    const store = new GitTreeStore(resolve(directory))
    await createStore(store.directory)
    await sweepScratch(store.directory)
    return store
  }

  async has(tree: TreeId): Promise<boolean> {
    const found = await runGit(['cat-file', '-e', `${tree}^{tree}`], { gitDirectory: this.directory })
    return found.code === 0
  }

  /** @throws Fault `infra/tree-read` when the store has no such tree. */
  async list(tree: TreeId, signal?: AbortSignal): Promise<readonly TreeEntry[]> {
    const kept = this.#lists.get(tree)
    if (kept !== undefined) return kept
    const listing = await listTree(this.directory, tree, signal)
    if (listing.kind === 'unreadable') {
      throw new Fault('bug/tree-name', `tree ${tree} holds a name that is not UTF-8: ${listing.path}`)
    }
    if (this.#lists.size >= KEPT_LISTS) this.#lists.delete([...this.#lists.keys()][0] ?? '')
    this.#lists.set(tree, listing.entries)
    return listing.entries
  }

  async readFile(tree: TreeId, path: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const entry = (await this.list(tree, signal)).find((candidate) => candidate.path === path)
    if (entry === undefined || (entry.mode !== '100644' && entry.mode !== '100755')) return undefined
    return await git(['cat-file', 'blob', entry.objectId], { gitDirectory: this.directory, signal })
  }

  /** Targets of the links among these entries, by path. */
  async linkTargets(
    entries: readonly TreeEntry[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, string>> {
    const links = entries.filter((entry) => entry.mode === '120000')
    const contents = await this.#contents(links, signal)
    return new Map([...contents].map(([path, bytes]) => [path, bytes.toString('utf8')]))
  }

  async smallFiles(
    tree: TreeId,
    caps: SmallFileCaps,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Buffer>> {
    let left = caps.totalBytes
    const wanted = (await this.list(tree, signal)).filter(({ mode, sizeBytes }) => {
      if ((mode !== '100644' && mode !== '100755') || sizeBytes > Math.min(caps.fileBytes, left)) return false
      left -= sizeBytes
      return true
    })
    return this.#contents(wanted, signal)
  }

  /** Whole contents by path. For entries that are known to be small. */
  async #contents(entries: readonly TreeEntry[], signal?: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    const contents = new Map<string, Buffer>()
    const objects = entries.map(({ objectId }) => objectId)
    for await (const { content } of readBlobs(this.directory, objects, signal)) {
      const chunks: Buffer[] = []
      for await (const chunk of content) chunks.push(chunk)
      contents.set(entries[contents.size]?.path ?? '', Buffer.concat(chunks))
    }
    return contents
  }

  tar(tree: TreeId, owner: TarOptions, signal?: AbortSignal): Readable {
    return tarOfEntries(this.directory, () => this.list(tree, signal), owner, signal)
  }

  /** A `.git` folder as a tar stream: the tree as the one commit of branch main, and nothing else. */
  oneCommitRepository(tree: TreeId, owner: TarOptions, signal?: AbortSignal): Readable {
    return oneCommitRepositoryTar(this.directory, tree, owner, signal)
  }

  /** A writer for one tree; files can be streamed into it. */
  async openWriter(signal?: AbortSignal): Promise<TreeWriter> {
    return await TreeWriter.open(this.directory, signal)
  }

  /** Writes a tree from its files, in any order, each path once. */
  async writeTree(files: AsyncIterable<NewFile> | Iterable<NewFile>, signal?: AbortSignal): Promise<TreeId> {
    const writer = await this.openWriter(signal)
    try {
      for await (const file of files) await writer.add(file.path, file.mode, file.content)
      return await writer.finish()
    } catch (error) {
      await writer.abort()
      throw error
    }
  }

  /** All or nothing; refusals are values. */
  async applyPatch(
    base: TreeId,
    patch: Uint8Array,
    options: { readonly caps?: TreeCaps; readonly signal?: AbortSignal } = {},
  ): Promise<PatchOutcome> {
    const { caps = DEFAULT_TREE_CAPS, signal } = options
    const outcome = await applyPatchToTree(this.directory, base, patch, caps, signal)
    if (outcome.kind === 'applied') await this.keep(outcome.tree, signal)
    return outcome
  }

  async overlay(overlay: Overlay, signal?: AbortSignal): Promise<OverlaidTree> {
    const [output, base] = [await this.list(overlay.output, signal), await this.list(overlay.base, signal)]
    const overlaid = await overlayTree(this.directory, overlay, { output, base }, signal)
    await this.keep(overlaid.tree, signal)
    return overlaid
  }

  /** Keeps a tree that is already in the repository from git's clean-up. */
  async keep(tree: TreeId, signal?: AbortSignal): Promise<void> {
    const commit = await commitTree(this.directory, tree, signal)
    await updateRefs(this.directory, [`update ${treeRef(tree)} ${commit}`])
  }

  /** A unified diff, for people and for fixtures. Nothing is ever decided from it. */
  async diff(base: TreeId, output: TreeId, signal?: AbortSignal): Promise<Buffer> {
    return await git(
      [
        'diff-tree',
        '-r',
        '-p',
        '--binary',
        '--full-index',
        '--no-renames',
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--src-prefix=a/',
        '--dst-prefix=b/',
        base,
        output,
      ],
      { gitDirectory: this.directory, signal },
    )
  }

  /** How large the diff is: lines added and removed, and the bytes of binary files that were added or changed. */
  async diffLines(base: TreeId, output: TreeId, signal?: AbortSignal): Promise<number> {
    return await diffLines(this.directory, base, output, signal)
  }

  /** What differs between two trees, by their entries. */
  async changedPaths(base: TreeId, output: TreeId, signal?: AbortSignal): Promise<readonly TreeChange[]> {
    return changesBetween(await this.list(base, signal), await this.list(output, signal))
  }

  /** Writes trees into a file that {@link importBundle} of another store reads. */
  async exportBundle(trees: readonly TreeId[], file: string, signal?: AbortSignal): Promise<void> {
    await exportTrees(this.directory, trees, file, signal)
  }

  /**
   * Reads the trees of a bundle; each is checked to be what its name says.
   * @throws Fault `config/bundle` when it is not a bundle of ours, or broken.
   */
  async importBundle(file: string, signal?: AbortSignal): Promise<readonly TreeId[]> {
    return await importTrees(this.directory, file, signal)
  }
}
