import { Fault } from '../../specs/fault.ts'
import { ByteReader } from './byte-reader.ts'
import { ended, spawnGit } from './git.ts'

export interface Blob {
  readonly objectId: string
  readonly sizeBytes: number
  /** Must be read to its end before the next blob is asked for. */
  readonly content: AsyncIterable<Buffer>
}

/**
 * Streams blobs out of the store in the order asked, through one `git cat-file --batch`. Contents are never held.
 * Leaving the loop early ends git.
 */
export async function* readBlobs(
  gitDirectory: string,
  objectIds: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<Blob, void, undefined> {
  if (objectIds.length === 0) return
  const child = spawnGit(['cat-file', '--batch', '--buffer'], { gitDirectory, signal })
  const end = ended(child)
  end.catch(() => undefined)
  // `--buffer` answers as it likes: all questions are written at once, the answers are read in order.
  child.stdin.end(objectIds.map((id) => `${id}\n`).join(''))
  const bytes = new ByteReader(child.stdout)
  try {
    for (const objectId of objectIds) {
      const header = (await bytes.until(10)) ?? ''
      const sizeBytes = Number(/^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1] ?? Number.NaN)
      if (Number.isNaN(sizeBytes)) {
        // Without an answer git may have been ended by the signal: its error is the better one.
        if (header === '') await end
        throw new Fault('infra/tree-read', `the store has no file ${objectId}: ${header}`)
      }
      const stop = bytes.bytesRead + sizeBytes
      yield { objectId, sizeBytes, content: bytes.upTo(sizeBytes) }
      if (bytes.bytesRead !== stop || (await bytes.exactly(1))?.[0] !== 10) {
        throw new Fault(
          'infra/tree-read',
          `the store ended within file ${objectId}, or it was not read to its end`,
        )
      }
    }
    const { code, stderr } = await end
    if (code !== 0) throw new Fault('infra/tree-read', `git cat-file failed: ${stderr}`)
  } finally {
    child.kill('SIGKILL')
    await end.catch(() => undefined)
  }
}
