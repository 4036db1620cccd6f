export type OutputStream = 'stdout' | 'stderr'

const HEADER_BYTES = 8

/**
 * Splits the engine's multiplexed stream: frames of an 8-byte header (stream number, three zeros, length big
 * endian) and payload. Payload is passed on as it comes, nothing is gathered, so a frame of any length costs no memory.
 * Returns a function to feed pieces to; it answers false when the stream is not in this format any more.
 */
export function frameDemux(
  onPayload: (stream: OutputStream, piece: Buffer) => void,
): (chunk: Buffer) => boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  let headerFilled = 0
  let payloadLeft = 0
  let stream: OutputStream = 'stdout'
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (payloadLeft > 0) {
        const piece = chunk.subarray(at, at + payloadLeft)
        at += piece.length
        payloadLeft -= piece.length
        onPayload(stream, piece)
        continue
      }
      const copied = chunk.copy(header, headerFilled, at, at + HEADER_BYTES - headerFilled)
      headerFilled += copied
      at += copied
      if (headerFilled < HEADER_BYTES) return true
      headerFilled = 0
      const number = header[0]
      if (number !== 1 && number !== 2) return false
      stream = number === 1 ? 'stdout' : 'stderr'
      payloadLeft = header.readUInt32BE(4)
    }
    return true
  }
}
