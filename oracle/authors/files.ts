import type { Dirent } from 'node:fs'
import { constants, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../specs/fault.ts'
import { CHECK_SET_CAPS } from '../read-check-set.ts'
import type { Author, FileCaps, FilesOutcome } from './author.ts'

const MAX_DEPTH = 16

/** An author whose set was written beforehand into a directory. */
export function filesAuthor(directory: string, label = 'files'): Author {
  return {
    label,
    hearsReasons: false,
    async handIn({ signal }) {
      const outcome = await readSetDirectory(directory, CHECK_SET_CAPS, signal)
      if (outcome.kind === 'refused') return outcome
      return outcome.files.size === 0 ? { kind: 'nothing' } : { kind: 'handed-in', files: outcome.files }
    },
  }
}

/**
 * The regular files below a directory, by path with forward slashes. Links are refused and never followed, and so is
 * everything else that is neither file nor folder.
 * @throws Fault `config/check-set` when the directory is not there.
 */
export async function readSetDirectory(
  directory: string,
  caps: FileCaps,
  signal: AbortSignal,
): Promise<FilesOutcome> {
  const files = new Map<string, Uint8Array>()
  let totalBytes = 0
  const folders: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(join(directory, folder.path))) {
      signal.throwIfAborted()
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`
      if (entry.isDirectory()) {
        if (folder.depth >= MAX_DEPTH) return refused(path, `deeper than ${MAX_DEPTH} folders`)
        folders.push({ path, depth: folder.depth + 1 })
        continue
      }
      if (!entry.isFile()) return refused(path, 'neither a file nor a folder (links are not followed)')
      if (files.size >= caps.files) return refused(path, `more than ${caps.files} files`)
      const bytes = await readCapped(
        join(directory, path),
        Math.min(caps.fileBytes, caps.totalBytes - totalBytes),
      )
      if (bytes === undefined) {
        return refused(path, `over ${caps.fileBytes} bytes, or the set over ${caps.totalBytes}`)
      }
      totalBytes += bytes.length
      files.set(path, bytes)
    }
  }
  return { kind: 'read', files }
}

function refused(path: string, problem: string): FilesOutcome {
  return { kind: 'refused', reason: `${JSON.stringify(path)}: ${problem}` }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (cause) {
    throw new Fault('config/check-set', `${folder}: expected a directory with checks.json`, { cause })
  }
}

/** Undefined when the file is larger than allowed, or grows while it is read. */
async function readCapped(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((cause: unknown) => {
    throw new Fault('config/check-set', `${path}: cannot be read`, { cause })
  })
  try {
    const { size } = await handle.stat()
    if (size > maxBytes) return undefined
    const buffer = new Uint8Array(size + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) return buffer.slice(0, length)
      length += bytesRead
    }
    return undefined
  } finally {
    await handle.close()
  }
}
