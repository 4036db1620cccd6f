import type { Readable } from 'node:stream'
import type { TreeId } from './digest.ts'

/** One entry of a tree, as git has it. Folders are not listed. */
export interface TreeEntry {
  /** Bytes of the path as UTF-8; a path that is not UTF-8 never gets past the tree gate. */
  readonly path: string
  readonly mode: '100644' | '100755' | '120000' | '160000'
  readonly objectId: string
  readonly sizeBytes: number
}

export type PatchOutcome =
  | { readonly kind: 'applied'; readonly tree: TreeId }
  /** All or nothing: the reason is git's own, with the path. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Who owns the files of a tree inside a box. */
export interface TarOptions {
  readonly uid: number
  readonly gid: number
}

/** Bytes of one file, and of all together. */
export interface SmallFileCaps {
  readonly fileBytes: number
  readonly totalBytes: number
}

/** Files to be laid over a tree. */
export interface Overlay {
  readonly output: TreeId
  readonly base: TreeId
  /** By path in the tree. They stand there whatever the output has in their way. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Whether a path is as in base: changed and deleted ones restored, added ones removed. */
  readonly isProtected: (path: string) => boolean
}

export interface OverlaidTree {
  readonly tree: TreeId
  /** Paths, sorted, on which the output differs from base and the tree is not the output. */
  readonly replaced: readonly string[]
}

/**
 * The port to the store of trees; `engine/trees/git-tree-store.ts` implements it on a bare git repository.
 * Same tree, same bytes: nothing inside a tree (attributes, filters) changes what comes out.
 */
export interface Trees {
  list(tree: TreeId, signal?: AbortSignal): Promise<readonly TreeEntry[]>
  /** Undefined when the path is not a file of the tree. */
  readFile(tree: TreeId, path: string, signal?: AbortSignal): Promise<Uint8Array | undefined>
  /**
   * The files of a tree that are small enough, by path, until there are enough of them: for a look at what is written
   * there, not for all of it.
   */
  smallFiles(
    tree: TreeId,
    caps: SmallFileCaps,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, Uint8Array>>
  /** The tree as a tar stream, entries sorted, times zero, owned as asked. */
  tar(tree: TreeId, options: TarOptions, signal?: AbortSignal): Readable
  /** Can take minutes for a hostile patch: the signal ends it. */
  applyPatch(
    base: TreeId,
    patch: Uint8Array,
    options?: { readonly signal?: AbortSignal },
  ): Promise<PatchOutcome>
  /** The output with files laid over it and protected paths as in base. Nothing follows a link of either tree. */
  overlay(overlay: Overlay, signal?: AbortSignal): Promise<OverlaidTree>
}
