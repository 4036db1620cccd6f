/** Tar archives byte by byte, so that a test can write what no honest program would. */
export interface RawEntry {
  readonly name: string | Buffer
  readonly type?: string
  readonly content?: string | Buffer
  readonly link?: string | Buffer
  readonly mode?: number
  /** The twelve bytes of the size field, where they are not the size of the content. */
  readonly sizeField?: Buffer
  readonly magic?: string
}

export const END = Buffer.alloc(1024)

/** The blocks of some entries, without an end. */
export function rawEntries(...entries: readonly RawEntry[]): Buffer {
  return Buffer.concat(entries.map(rawEntry))
}

/** A whole archive. */
export function rawTar(...entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([rawEntries(...entries), END])
}

/** One pax record with its length. */
export function paxRecord(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')])
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

function rawEntry(entry: RawEntry): Buffer {
  const content = Buffer.from(entry.content ?? '')
  const header = Buffer.alloc(512)
  Buffer.from(entry.name).copy(header, 0, 0, 100)
  header.write(`${(entry.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100)
  header.write('0000000\0'.repeat(2), 108)
  if (entry.sizeField === undefined) header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  else entry.sizeField.copy(header, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write(entry.type ?? '0', 156)
  Buffer.from(entry.link ?? '').copy(header, 157, 0, 100)
  header.write(entry.magic ?? 'ustar\x0000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}
