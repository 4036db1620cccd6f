/** Reads exact amounts of bytes, and up to a byte, from one stream. Holds what one chunk of the stream left over. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)
  /** Bytes that were handed out. */
  bytesRead = 0

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** What stands before the next such byte, as text; undefined when the stream ends before one. */
  async until(byte: number): Promise<string | undefined> {
    for (;;) {
      const at = this.#rest.indexOf(byte)
      if (at >= 0) return this.#cut(at + 1).toString('utf8', 0, at)
      const more = await this.#next()
      if (more === undefined) return undefined
      this.#rest = Buffer.concat([this.#rest, more])
    }
  }

  /** Exactly so many bytes; undefined when the stream ends before. */
  async exactly(sizeBytes: number): Promise<Buffer | undefined> {
    if (this.#rest.length >= sizeBytes) return this.#cut(sizeBytes)
    const pieces: Buffer[] = []
    let got = 0
    for await (const piece of this.upTo(sizeBytes)) {
      pieces.push(piece)
      got += piece.length
    }
    return got === sizeBytes ? Buffer.concat(pieces) : undefined
  }

  /** So many bytes piece by piece, or fewer when the stream ends before. */
  async *upTo(sizeBytes: number): AsyncGenerator<Buffer, void, undefined> {
    let left = sizeBytes
    while (left > 0) {
      if (this.#rest.length === 0) {
        const more = await this.#next()
        if (more === undefined) return
        this.#rest = more
      }
      const piece = this.#cut(Math.min(left, this.#rest.length))
      left -= piece.length
      yield piece
    }
  }

  /** Reads over so many bytes, or fewer when the stream ends before. */
  async skip(sizeBytes: number): Promise<void> {
    const pieces = this.upTo(sizeBytes)
    while ((await pieces.next()).done !== true) continue
  }

  /** Lets go of the stream. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  #cut(sizeBytes: number): Buffer {
    const piece = this.#rest.subarray(0, sizeBytes)
    this.#rest = this.#rest.subarray(sizeBytes)
    this.bytesRead += piece.length
    return piece
  }

  async #next(): Promise<Buffer | undefined> {
    const next = await this.#chunks.next()
    if (next.done === true) return undefined
    return Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength)
  }
}
