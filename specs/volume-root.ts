import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import type { TarOptions } from './trees.ts'

/** A tar that holds only the root folder of a volume, so that its owner may write at the top of it. */
export function volumeRoot(owner: TarOptions): Readable {
  const tar = pack()
  tar.entry({ name: './', type: 'directory', mode: 0o755, mtime: new Date(0), ...owner })
  tar.finalize()
  return Readable.from(tar)
}
