import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { pack, type Header, type Pack } from 'tar-stream'
import type { TarOptions } from '../../specs/trees.ts'

export type EntryHeader = Partial<Header> & Pick<Header, 'name'>

/**
 * A tar stream that `fill` puts its entries into. Whoever leaves it before its end stops `fill` through the signal;
 * what `fill` throws is the stream's error.
 */
export function packStream(
  fill: (tar: Pack, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): Readable {
  return Readable.from(packed(fill, signal), { objectMode: false })
}

async function* packed(
  fill: (tar: Pack, signal: AbortSignal) => Promise<void>,
  outer?: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stop = new AbortController()
  const signal = outer === undefined ? stop.signal : AbortSignal.any([stop.signal, outer])
  const tar = pack()
  const filled = fill(tar, signal).then(
    () => tar.finalize(),
    (error: unknown) => tar.destroy(asError(error)),
  )
  try {
    for await (const chunk of tar) yield chunk as Uint8Array
  } finally {
    stop.abort()
    tar.destroy()
    await filled
  }
}

/** Puts one entry into a tar and waits until it is through. */
export async function put(
  tar: Pack,
  header: EntryHeader,
  content?: AsyncIterable<Uint8Array>,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const sink = tar.entry(header, (error) => (error ? reject(error) : resolve()))
    if (header.type !== 'file') return
    const source = Readable.from(content ?? [], { objectMode: false })
    source.pipe(sink)
    finished(source).catch((error: unknown) => {
      sink.destroy(asError(error))
      reject(asError(error))
    })
  })
}

/** Owner and time of every entry: nothing of when or where the tar was made. */
export function attributes(owner: TarOptions): Pick<Header, 'uid' | 'gid' | 'mtime'> {
  return { uid: owner.uid, gid: owner.gid, mtime: new Date(0) }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
