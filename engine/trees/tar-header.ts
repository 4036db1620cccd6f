/** One header block of a tar archive: v7, ustar (POSIX 1003.1-1988) or GNU, names still as bytes. */
export interface TarHeader {
  readonly typeflag: string
  readonly name: Buffer
  readonly linkName: Buffer
  readonly mode: number
  readonly sizeBytes: number
}

export type HeaderBlock =
  | { readonly kind: 'header'; readonly header: TarHeader }
  /** A block of zeros: the archive ends here. */
  | { readonly kind: 'end' }
  | { readonly kind: 'malformed'; readonly reason: string }

export const BLOCK_BYTES = 512

/** Decodes a block of 512 bytes. Nothing is guessed: what is not exactly a header is malformed. */
export function decodeHeader(block: Buffer): HeaderBlock {
  if (block.every((byte) => byte === 0)) return { kind: 'end' }
  const checksum = decodeNumber(block.subarray(148, 156))
  if (checksum !== sumOf(block)) return { kind: 'malformed', reason: 'a header has a wrong checksum' }
  const sizeBytes = decodeNumber(block.subarray(124, 136))
  const mode = decodeNumber(block.subarray(100, 108))
  if (sizeBytes === undefined || mode === undefined) {
    return { kind: 'malformed', reason: 'a header has a negative, huge or unreadable number' }
  }
  const name = untilNul(block.subarray(0, 100))
  // Only ustar has a prefix; GNU uses these bytes for other things.
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? untilNul(block.subarray(345, 500)) : Buffer.alloc(0)
  return {
    kind: 'header',
    header: {
      typeflag: block.toString('latin1', 156, 157),
      name: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]),
      linkName: untilNul(block.subarray(157, 257)),
      mode,
      sizeBytes,
    },
  }
}

/**
 * Records of a pax header: `length key=value\n`, the length counting the whole record.
 * Undefined when it is not exactly that.
 */
export function decodePax(bytes: Buffer): ReadonlyMap<string, Buffer> | undefined {
  const records = new Map<string, Buffer>()
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at)
    const digits = space < 0 ? '' : bytes.toString('latin1', at, space)
    if (!/^[1-9]\d{0,8}$/.test(digits)) return undefined
    const stop = at + Number(digits)
    const equals = bytes.indexOf(61, space)
    if (stop > bytes.length || equals < 0 || equals >= stop || bytes[stop - 1] !== 10) return undefined
    records.set(bytes.toString('utf8', space + 1, equals), bytes.subarray(equals + 1, stop - 1))
    at = stop
  }
  return records
}

/** The bytes of a name up to the first NUL. */
export function untilNul(field: Buffer): Buffer {
  const nul = field.indexOf(0)
  return nul < 0 ? field : field.subarray(0, nul)
}

/** Octal digits, or base 256 after 0x80 (GNU, for what has no room). Undefined for anything else. */
function decodeNumber(field: Buffer): number | undefined {
  if (field[0] === 0x80) {
    const value = field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0)
    return Number.isSafeInteger(value) ? value : undefined
  }
  const text = untilNul(field).toString('latin1').trim()
  if (text === '') return 0
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}

/** The checksum of a header counts its own field as spaces. */
function sumOf(block: Buffer): number {
  return block.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0)
}
