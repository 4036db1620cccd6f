import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { TreeId } from '../../../specs/digest.ts'
import type { BaseSource } from '../../../specs/task.ts'
import { DEFAULT_TREE_CAPS, type TreeCaps } from '../../pure/tree-caps.ts'
import type { GitTreeStore } from '../git-tree-store.ts'
import { baseFault } from './base-fault.ts'
import { requireUsableBase } from './check-base.ts'
import { treeFromDirectory } from './directory-base.ts'
import { treeFromRepository } from './git-base.ts'
import { treeFromPackage } from './npm-base.ts'
import { treeFromArchive } from './tar-base.ts'
import { treeFromTar } from '../tree-from-tar.ts'

/** What a base meant when it was resolved: enough to have the same one again. */
export type ResolvedBase =
  | { readonly from: 'npm'; readonly package: string; readonly version: string; readonly integrity: string }
  | {
      readonly from: 'git'
      readonly repository: string
      readonly revision: string
      readonly commitId: string
      readonly subdirectory?: string
    }
  | { readonly from: 'directory'; readonly path: string }
  | { readonly from: 'tar'; readonly path: string; readonly integrity: string }
  | { readonly from: 'image'; readonly path: string }

export interface BaseContext {
  /** Relative paths of the source start here. */
  readonly taskDirectory: string
  readonly store: GitTreeStore
  /** Packages are kept here by their integrity, for example `<state>/cache`. */
  readonly cacheDirectory: string
  /** Reads a folder of the task's image as a tar stream whose names start below that folder (`./a`). */
  readonly readImage?: (path: string, signal: AbortSignal) => Promise<Readable>
  readonly caps?: TreeCaps
  /** A folder that is no part of a directory that it stands in: the task's own. Absolute. */
  readonly leaveOut?: string
}

/**
 * Brings a base into the store.
 * @throws Fault `config/base` (which field, and what was expected), `config/integrity`, `infra/registry` when the
 * registry cannot be reached, `interrupted/…` through the signal.
 */
export async function resolveBase(
  source: BaseSource,
  context: BaseContext,
  signal: AbortSignal,
): Promise<{ readonly tree: TreeId; readonly resolved: ResolvedBase }> {
  signal.throwIfAborted()
  const base = await bring(source, context, signal)
  await requireUsableBase(context.store, base.tree, context.caps ?? DEFAULT_TREE_CAPS, signal)
  return base
}

async function bring(
  source: BaseSource,
  context: BaseContext,
  signal: AbortSignal,
): Promise<{ readonly tree: TreeId; readonly resolved: ResolvedBase }> {
  const { store, taskDirectory, cacheDirectory, caps = DEFAULT_TREE_CAPS } = context
  switch (source.from) {
    case 'npm':
      return {
        tree: await treeFromPackage(source, { store, cacheDirectory, caps }, signal),
        resolved: {
          from: 'npm',
          package: source.package,
          version: source.version,
          integrity: source.integrity,
        },
      }
    case 'git': {
      const { tree, commitId } = await treeFromRepository(source, { store, taskDirectory }, signal)
      const { from, repository, revision, subdirectory } = source
      return {
        tree,
        resolved: {
          from,
          repository,
          revision,
          commitId,
          ...(subdirectory === undefined ? {} : { subdirectory }),
        },
      }
    }
    case 'directory': {
      const path = resolve(taskDirectory, source.path)
      return {
        tree: await treeFromDirectory(path, store, caps, signal, context.leaveOut),
        resolved: { from: 'directory', path: source.path },
      }
    }
    case 'tar': {
      const path = resolve(taskDirectory, source.path)
      const { tree, integrity } = await treeFromArchive(
        { ...source, path },
        { store, caps, field: 'path' },
        signal,
      )
      return { tree, resolved: { from: 'tar', path: source.path, integrity } }
    }
    case 'image': {
      if (context.readImage === undefined)
        throw baseFault('path', 'expected a task with an image to read it from')
      const tar = await context.readImage(source.path, signal)
      const read = await treeFromTar(store, tar, { caps }, signal)
      if (read.kind === 'refused')
        throw baseFault('path', `${source.path}: ${JSON.stringify(read.path)}: ${read.reason}`)
      return { tree: read.tree, resolved: { from: 'image', path: source.path } }
    }
  }
}
