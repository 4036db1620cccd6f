import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll } from 'vitest'
import { GitTreeStore, type NewFile } from '../git-tree-store.ts'

/** A folder that is gone after the tests of a file, and a store in it. */
export async function storeForTest(): Promise<{ readonly root: string; readonly store: GitTreeStore }> {
  const root = await mkdtemp(join(tmpdir(), 'assay-trees-'))
  afterAll(() => rm(root, { recursive: true, force: true }))
  return { root, store: await GitTreeStore.open(join(root, 'state', 'store.git')) }
}

export function file(path: string, content: string | Buffer, mode: NewFile['mode'] = '100644'): NewFile {
  return { path, mode, content: Buffer.from(content) }
}

export async function bytesOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A stream that hands its bytes out in pieces of an odd size. */
export function inPieces(bytes: Buffer, sizeBytes = 777): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += sizeBytes) yield bytes.subarray(at, at + sizeBytes)
    })(),
    { objectMode: false },
  )
}
