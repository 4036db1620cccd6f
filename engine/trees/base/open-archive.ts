import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** The bytes of a tar archive, gzipped or not: its first two tell. What is wrong with them is thrown to who reads. */
export async function openArchive(path: string, signal: AbortSignal): Promise<Readable> {
  const file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
  await file.close()
  const raw = createReadStream(path, { signal })
  if (bytesRead < 2 || buffer[0] !== 0x1f || buffer[1] !== 0x8b) return raw
  const tar = createGunzip()
  // `pipeline` stops listening when all bytes are handed to the last stream. What fails after that, with nobody reading
  // yet or any more, would end the process.
  tar.on('error', () => undefined)
  return pipeline(raw, tar, () => undefined)
}
