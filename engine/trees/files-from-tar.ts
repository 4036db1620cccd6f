import type { Readable } from 'node:stream'
import { Fault } from '../../specs/fault.ts'
import { DEFAULT_TREE_CAPS } from '../pure/tree-caps.ts'
import { readTar } from './read-tar.ts'

export type FilesFromTar =
  | { readonly kind: 'read'; readonly files: ReadonlyMap<string, Uint8Array> }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * The regular files of a tar of one folder, by path below that folder, in memory. Links are refused.
 * @param caps how many files, and bytes of one and of all together.
 * @throws Fault `infra/parcel-cut-off` when the stream ends early.
 */
export async function filesFromTar(
  tar: Readable,
  caps: { readonly files: number; readonly fileBytes: number; readonly totalBytes: number },
  signal: AbortSignal,
): Promise<FilesFromTar> {
  const files = new Map<string, Uint8Array>()
  const treeCaps = {
    ...DEFAULT_TREE_CAPS,
    entries: caps.files,
    fileBytes: caps.fileBytes,
    totalBytes: caps.totalBytes,
    tarBytes: caps.totalBytes * 2 + 10_000_000,
  }
  let refused: string | undefined
  const read = await readTar(tar, { caps: treeCaps }, async (entry) => {
    signal.throwIfAborted()
    if (entry.type !== 'file') {
      refused ??= `${JSON.stringify(entry.path)}: expected a regular file with one name`
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of entry.content) chunks.push(chunk)
    files.set(entry.path, Buffer.concat(chunks))
  })
  if (read.kind === 'refused' && read.isCutOff === true)
    throw new Fault('infra/parcel-cut-off', `what the engine gave of the folder is cut off: ${read.reason}`)
  if (read.kind === 'refused')
    return { kind: 'refused', reason: `${JSON.stringify(read.path)}: ${read.reason}` }
  return refused === undefined ? { kind: 'read', files } : { kind: 'refused', reason: refused }
}
