import type { Readable } from 'node:stream'
import type { Pack } from 'tar-stream'
import { Fault } from '../../specs/fault.ts'
import type { TarOptions, TreeEntry } from '../../specs/trees.ts'
import { readBlobs } from './cat-file.ts'
import { attributes, packStream, put } from './pack-stream.ts'

const MAX_LINK_BYTES = 65_536

/**
 * The files of a tree as a tar stream made from the objects themselves, so that no attribute inside the tree changes
 * a byte. Same entries, same owner, same bytes: sorted, times zero, a folder before what is in it.
 */
export function tarOfEntries(
  gitDirectory: string,
  entries: () => Promise<readonly TreeEntry[]>,
  owner: TarOptions,
  signal?: AbortSignal,
): Readable {
  return packStream((tar, stop) => fill(tar, gitDirectory, entries, owner, stop), signal)
}

async function fill(
  tar: Pack,
  gitDirectory: string,
  entries: () => Promise<readonly TreeEntry[]>,
  owner: TarOptions,
  signal: AbortSignal,
): Promise<void> {
  const sorted = await entries()
  const link = sorted.find((entry) => entry.mode === '160000')
  if (link !== undefined) throw new Fault('bug/gitlink', `${link.path}: a gitlink cannot be laid into a box`)
  const folders = new Set<string>()
  const blobs = readBlobs(
    gitDirectory,
    sorted.map((entry) => entry.objectId),
    signal,
  )
  let index = 0
  for await (const blob of blobs) {
    const entry = sorted[index]
    index += 1
    if (entry === undefined) break
    for (const folder of foldersOf(entry.path)) {
      if (folders.has(folder)) continue
      folders.add(folder)
      await put(tar, { name: `${folder}/`, type: 'directory', mode: 0o755, ...attributes(owner) })
    }
    if (entry.mode === '120000') {
      const target = await collect(blob.content, entry.path)
      await put(tar, {
        name: entry.path,
        type: 'symlink',
        linkname: target,
        mode: 0o777,
        ...attributes(owner),
      })
    } else {
      const mode = entry.mode === '100755' ? 0o755 : 0o644
      await put(
        tar,
        { name: entry.path, type: 'file', mode, size: blob.sizeBytes, ...attributes(owner) },
        blob.content,
      )
    }
  }
}

function foldersOf(path: string): string[] {
  const segments = path.split('/').slice(0, -1)
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}

async function collect(content: AsyncIterable<Buffer>, path: string): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_LINK_BYTES) throw new Fault('bug/link-target', `${path}: the target is too long`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
