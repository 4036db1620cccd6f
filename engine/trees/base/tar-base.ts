import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Fault } from '../../../specs/fault.ts'
import type { TreeId } from '../../../specs/digest.ts'
import type { TreeCaps } from '../../pure/tree-caps.ts'
import type { GitTreeStore } from '../git-tree-store.ts'
import { treeFromTar } from '../tree-from-tar.ts'
import { baseFault } from './base-fault.ts'
import { integrityOf, requireIntegrity } from './integrity.ts'
import { openArchive } from './open-archive.ts'

export interface Archive {
  readonly path: string
  readonly integrity?: string | undefined
  /** Leading folders to drop from every name. */
  readonly strip: number
}

export interface ArchiveContext {
  readonly store: GitTreeStore
  readonly caps: TreeCaps
  /** The field of `task.yaml` that the archive comes from. */
  readonly field: string
}

/**
 * The tree of a tar archive, gzipped or not (its first bytes tell). Its integrity is checked before it is opened.
 * @throws Fault `config/base`, `config/integrity`.
 */
export async function treeFromArchive(
  archive: Archive,
  context: ArchiveContext,
  signal: AbortSignal,
): Promise<{ readonly tree: TreeId; readonly integrity: string }> {
  const { path, integrity: expected, strip } = archive
  const { store, caps, field } = context
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() !== true)
    throw baseFault(field, `${path}: expected a tar archive; there is no such file`)
  const integrity = await integrityOf(createReadStream(path, { signal }), expected)
  if (expected !== undefined) requireIntegrity(path, expected, integrity)
  const tar = await openArchive(path, signal)
  try {
    const endIsOptional = expected !== undefined
    const read = await treeFromTar(store, tar, { caps, strip, endIsOptional }, signal)
    if (read.kind === 'read') return { tree: read.tree, integrity }
    throw baseFault(
      field,
      `${path}: ${read.path === '' ? '' : `${JSON.stringify(read.path)}: `}${read.reason}`,
    )
  } catch (error) {
    if (error instanceof Fault || signal.aborted) throw error
    throw baseFault(field, `${path}: expected a tar archive that can be read: ${String(error)}`, error)
  }
}
