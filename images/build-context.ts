import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, pack, type Pack } from 'tar-stream'

/** A file of a build context whose bytes are at hand. */
export interface ContextFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly mode?: number
}

/** Files of a package's tarball, put elsewhere in the context. A path that ends with a slash is a folder. */
export interface ContextPart {
  readonly tarball: string
  readonly from: string
  readonly to: string
  /** Of its files; as in the tarball when absent. */
  readonly mode?: number
}

/** A file of the host, streamed into the context. */
export interface ContextHostFile {
  readonly file: string
  readonly to: string
}

/**
 * A build context as a tar stream: same content, same bytes. Owner root, time zero; contents are streamed, so a
 * large file does not stand in memory.
 */
export function buildContext(
  files: readonly ContextFile[],
  parts: readonly (ContextPart | ContextHostFile)[] = [],
): Readable {
  const context = pack()
  const fill = async () => {
    for (const file of files) {
      context.entry({ ...plain(file.path), mode: file.mode ?? 0o644 }, Buffer.from(file.bytes))
    }
    for (const part of parts) {
      await ('tarball' in part ? copyPart(part, context) : copyFile(part, context))
    }
    context.finalize()
  }
  fill().catch((error: unknown) => context.destroy(error instanceof Error ? error : new Error(String(error))))
  return Readable.from(context)
}

async function copyFile({ file, to }: ContextHostFile, context: Pack): Promise<void> {
  const { size } = await stat(file)
  await pipeline(createReadStream(file), context.entry({ ...plain(to), mode: 0o644, size }))
}

async function copyPart(part: ContextPart, context: Pack): Promise<void> {
  const source = extract()
  const copyEntries = async () => {
    let copied = 0
    for await (const entry of source) {
      const path = contextPath(part, entry.header.name)
      if (path === undefined || entry.header.type !== 'file') {
        entry.resume()
        continue
      }
      const mode = part.mode ?? ((entry.header.mode & 0o111) === 0 ? 0o644 : 0o755)
      await pipeline(entry, context.entry({ ...plain(path), mode, size: entry.header.size }))
      copied += 1
    }
    if (copied === 0) throw new Error(`${part.tarball}: nothing at ${part.from}`)
  }
  await Promise.all([pipeline(createReadStream(part.tarball), createGunzip(), source), copyEntries()])
}

/** Where an entry of the tarball goes, if anywhere. */
export function contextPath(part: ContextPart, name: string): string | undefined {
  if (!part.from.endsWith('/')) return name === part.from ? part.to : undefined
  return name.startsWith(part.from) ? `${part.to}${name.slice(part.from.length)}` : undefined
}

function plain(name: string) {
  return { name, uid: 0, gid: 0, mtime: new Date(0), type: 'file' as const }
}
