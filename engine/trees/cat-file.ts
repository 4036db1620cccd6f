import { Fault } from '../../specs/fault.ts'
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
      const header = (await bytes.line()) ?? ''
      const sizeBytes = Number(/^[0-9a-f]+ blob (\d+)$/.exec(header)?.[1] ?? Number.NaN)
      if (Number.isNaN(sizeBytes)) {
        // Without an answer git may have been ended by the signal: its error is the better one.
        if (header === '') await end
        throw new Fault('infra/tree-read', `the store has no file ${objectId}: ${header}`)
      }
      const content = bytes.take(sizeBytes)
      yield { objectId, sizeBytes, content }
      await bytes.skipNewline()
    }
    const { code, stderr } = await end
    if (code !== 0) throw new Fault('infra/tree-read', `git cat-file failed: ${stderr}`)
  } finally {
    child.kill('SIGKILL')
    await end.catch(() => undefined)
  }
}

/** Reads lines and exact amounts of bytes from one stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  async line(): Promise<string | undefined> {
    for (;;) {
      const at = this.#rest.indexOf(10)
      if (at >= 0) {
        const line = this.#rest.toString('utf8', 0, at)
        this.#rest = this.#rest.subarray(at + 1)
        return line
      }
      const more = await this.#next()
      if (more === undefined) return undefined
      this.#rest = Buffer.concat([this.#rest, more])
    }
  }

  async *take(sizeBytes: number): AsyncGenerator<Buffer, void, undefined> {
    let left = sizeBytes
    while (left > 0) {
      if (this.#rest.length === 0) {
        const more = await this.#next()
        if (more === undefined) throw new Fault('infra/tree-read', 'the store ended in the middle of a file')
        this.#rest = more
      }
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async skipNewline(): Promise<void> {
    for await (const piece of this.take(1)) {
      if (piece[0] !== 10) throw new Fault('bug/cat-file', 'a file of the store was not read to its end')
    }
  }

  async #next(): Promise<Buffer | undefined> {
    const next = await this.#chunks.next()
    return next.done === true ? undefined : next.value
  }
}
