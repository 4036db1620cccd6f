import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'

/** Owner root, time zero: the same content gives the same bytes. */
export function plainHeader(name: string) {
  return { name, uid: 0, gid: 0, mtime: new Date(0) }
}

/**
 * Writes a folder as a tar, below `prefix`. Files, folders and links (as links) only; names in order, owner root.
 * A folder that is not there makes an empty one.
 */
export async function tarFolder(
  folder: string,
  prefix: string,
  tar: string,
  signal: AbortSignal,
): Promise<void> {
  const out = pack()
  const writing = pipeline(out, createWriteStream(tar), { signal })
  const fill = async () => {
    await addFolder(out, folder, prefix)
    out.finalize()
  }
  await Promise.all([fill(), writing])
}

async function addFolder(out: Pack, folder: string, path: string): Promise<void> {
  out.entry({ ...plainHeader(`${path}/`), type: 'directory', mode: 0o755 })
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })
  for (const name of names.sort()) {
    const from = join(folder, name)
    const header = plainHeader(`${path}/${name}`)
    const stat = await lstat(from)
    if (stat.isDirectory()) await addFolder(out, from, header.name)
    else if (stat.isSymbolicLink()) {
      out.entry({ ...header, type: 'symlink', linkname: await readlink(from) })
    } else if (stat.isFile()) {
      const mode = (stat.mode & 0o111) === 0 ? 0o644 : 0o755
      await pipeline(createReadStream(from), out.entry({ ...header, type: 'file', mode, size: stat.size }))
    }
  }
}
