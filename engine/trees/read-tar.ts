import type { TreeCaps } from '../pure/tree-caps.ts'
import { cutText } from '../pure/well-formed.ts'
import { ByteReader } from './byte-reader.ts'
import { PathSet } from './path-set.ts'
import { BLOCK_BYTES, decodeHeader, decodePax, untilNul, type TarHeader } from './tar-header.ts'
import { problemOfPath, readTarPath, type TarPath } from './tar-path.ts'

/** One entry that belongs to the tree. Folders are not handed on: a tree has none of its own. */
export type TarEntry =
  | {
      readonly type: 'file'
      readonly path: string
      readonly executable: boolean
      readonly sizeBytes: number
      /** Must be read to its end before the next entry comes. */
      readonly content: AsyncIterable<Buffer>
    }
  | { readonly type: 'link'; readonly path: string; readonly target: string }
  /** A second name of a file that was handed on before. */
  | { readonly type: 'same-file'; readonly path: string; readonly executable: boolean; readonly as: string }

export type TarRead =
  | { readonly kind: 'read'; readonly entries: number; readonly totalBytes: number }
  /** `isCutOff`: the stream ended before the archive did, which is the doing of who carried it, not of who shaped it. */
  | { readonly kind: 'refused'; readonly reason: string; readonly path: string; readonly isCutOff?: true }

export interface ReadTarOptions {
  readonly caps: TreeCaps
  /** Leading folders to drop from every name. */
  readonly strip?: number
  /** Entries that are no part of the tree, whatever they are; only `tarEntries` and `tarBytes` count them. */
  readonly leaveOut?: (path: string, isFolder: boolean) => Promise<boolean>
  /** Takes an archive that stops between two entries without saying that it ends: only where its hash is known. */
  readonly endIsOptional?: boolean
}

/** Bytes of a long name or of pax records. Linux has names up to 4096 and xattrs up to 65536 bytes. */
const MAX_EXTENSION_BYTES = 2 ** 20

const MAX_SHOWN_LENGTH = 300

/** Thrown through the consumer's loop over a file's content; never leaves this file. */
class Refusal extends Error {
  readonly path: string
  constructor(reason: string, path: string) {
    super(reason)
    this.path = path
  }
}

class CutOff extends Refusal {
  constructor(path: string) {
    super(path === '' ? 'the archive is cut off' : 'the archive is cut off within it', path)
  }
}

/**
 * Reads a tar archive that an adversary may have shaped, entry by entry, without holding more than a block and one
 * chunk. Refused, with the path: names that are absolute, climb, are not UTF-8 or hold control characters; devices,
 * FIFOs, sparse files and unknown types; hard links to anything but a file of the tree; two entries of one name, a
 * file below a file or a link; numbers that are negative or huge; an archive that is cut off; anything over the caps.
 * A `.git` at the top is skipped: history is never taken from a worker.
 */
export async function readTar(
  tar: AsyncIterable<Uint8Array>,
  options: ReadTarOptions,
  take: (entry: TarEntry) => Promise<void>,
): Promise<TarRead> {
  const bytes = new ByteReader(tar)
  try {
    return await new TarReading(bytes, options, take).run()
  } catch (error) {
    if (error instanceof Refusal) {
      const path = cutText(error.path, MAX_SHOWN_LENGTH)
      const refused = { kind: 'refused', reason: error.message, path } as const
      return error instanceof CutOff ? { ...refused, isCutOff: true } : refused
    }
    throw error
  } finally {
    await bytes.close()
  }
}

class TarReading {
  readonly #bytes: ByteReader
  readonly #options: ReadTarOptions
  readonly #take: (entry: TarEntry) => Promise<void>
  readonly #paths = new PathSet()
  /** Sizes of the files that were handed on, for hard links to them. */
  readonly #files = new Map<string, number>()
  #tarEntries = 0
  #entries = 0
  #totalBytes = 0

  constructor(bytes: ByteReader, options: ReadTarOptions, take: (entry: TarEntry) => Promise<void>) {
    this.#bytes = bytes
    this.#options = options
    this.#take = take
  }

  async run(): Promise<TarRead> {
    let long: { name?: Buffer; linkName?: Buffer; sizeBytes?: number } = {}
    for (;;) {
      const header = await this.#nextHeader()
      if (header === undefined) return { kind: 'read', entries: this.#entries, totalBytes: this.#totalBytes }
      switch (header.typeflag) {
        case 'g':
          this.#refuseOverrides(await this.#pax(header))
          break
        case 'x':
          long = { ...long, ...this.#overridesOf(await this.#pax(header)) }
          break
        case 'L':
          long = { ...long, name: untilNul(await this.#extension(header)) }
          break
        case 'K':
          long = { ...long, linkName: untilNul(await this.#extension(header)) }
          break
        default:
          await this.#entry({ ...header, ...long })
          long = {}
      }
    }
  }

  async #nextHeader(): Promise<TarHeader | undefined> {
    const { caps, endIsOptional } = this.#options
    if (this.#bytes.bytesRead > caps.tarBytes) {
      throw new Refusal(`the archive has more than ${caps.tarBytes} bytes`, '')
    }
    const block = await this.#bytes.exactly(BLOCK_BYTES)
    if (block === undefined) {
      if (endIsOptional === true) return undefined
      throw new CutOff('')
    }
    const decoded = decodeHeader(block)
    if (decoded.kind === 'malformed') throw new Refusal(decoded.reason, '')
    if (decoded.kind === 'header') {
      this.#tarEntries += 1
      if (this.#tarEntries > caps.tarEntries) {
        throw new Refusal(`the archive has more than ${caps.tarEntries} entries`, '')
      }
      return decoded.header
    }
    for await (const piece of this.#bytes.upTo(caps.tarBytes)) {
      if (piece.some((byte) => byte !== 0)) throw new Refusal('the archive goes on after its end', '')
    }
    return undefined
  }

  async #entry(header: TarHeader): Promise<void> {
    const { caps, strip = 0, leaveOut } = this.#options
    const read = readTarPath(header.name, strip)
    if (
      read.kind === 'refused' &&
      read.below !== undefined &&
      (await leaveOut?.(read.below, true)) === true
    ) {
      await this.#skip(header.typeflag === '5' ? 0 : header.sizeBytes, read.path)
      return
    }
    const named = this.#path(read)
    const isFolder = header.typeflag === '5' || (isFile(header) && header.name.at(-1) === 0x2f)
    if (named === undefined) {
      if (isFolder) return
      throw new Refusal(`it has fewer than ${strip + 1} folders in its name`, header.name.toString('utf8'))
    }
    const skipped = named === '.git' || named.startsWith('.git/')
    if (skipped || (await leaveOut?.(named, isFolder)) === true) {
      await this.#skip(isFolder ? 0 : header.sizeBytes, named)
      return
    }
    const problem = problemOfPath(named, caps) ?? this.#paths.add(named, isFolder)
    if (problem !== undefined) throw new Refusal(problem, named)
    if (isFolder) return
    this.#entries += 1
    if (this.#entries > caps.entries)
      throw new Refusal(`the tree has more than ${caps.entries} entries`, named)
    await this.#hand(header, named)
  }

  async #hand(header: TarHeader, path: string): Promise<void> {
    const { caps } = this.#options
    const executable = (header.mode & 0o100) !== 0
    if (isFile(header)) {
      const { sizeBytes } = header
      if (sizeBytes > caps.fileBytes) {
        throw new Refusal(`it has ${sizeBytes} bytes; at most ${caps.fileBytes} are taken`, path)
      }
      this.#count(sizeBytes, path)
      this.#files.set(path, sizeBytes)
      const stop = this.#bytes.bytesRead + sizeBytes
      await this.#take({ type: 'file', path, executable, sizeBytes, content: this.#content(sizeBytes, path) })
      await this.#skip(stop - this.#bytes.bytesRead, path, sizeBytes)
      return
    }
    if (header.sizeBytes !== 0) throw new Refusal('it is no file and has content', path)
    if (header.typeflag === '2') {
      await this.#take({ type: 'link', path, target: this.#target(header.linkName, path) })
    } else if (header.typeflag === '1') {
      const as = this.#path(readTarPath(header.linkName, this.#options.strip ?? 0)) ?? ''
      const sizeBytes = this.#files.get(as)
      if (sizeBytes === undefined) throw new Refusal('it is a hard link to what is no file of the tree', path)
      this.#count(sizeBytes, path)
      this.#files.set(path, sizeBytes)
      await this.#take({ type: 'same-file', path, executable, as })
    } else {
      throw new Refusal(
        KINDS[header.typeflag] ?? `it has the unknown type ${JSON.stringify(header.typeflag)}`,
        path,
      )
    }
  }

  #target(linkName: Buffer, path: string): string {
    const target = linkName.toString('utf8')
    if (!Buffer.from(target).equals(linkName)) throw new Refusal('its target is not UTF-8', path)
    if (target === '' || target.includes('\0')) throw new Refusal('its target is empty or holds a NUL', path)
    if (linkName.length > this.#options.caps.linkTargetBytes) {
      throw new Refusal(`its target has more than ${this.#options.caps.linkTargetBytes} bytes`, path)
    }
    return target
  }

  async *#content(sizeBytes: number, path: string): AsyncGenerator<Buffer, void, undefined> {
    let got = 0
    for await (const piece of this.#bytes.upTo(sizeBytes)) {
      got += piece.length
      yield piece
    }
    if (got !== sizeBytes) throw new CutOff(path)
  }

  /** Reads over what is left of an entry of `wholeBytes`, and over what fills its last block. */
  async #skip(restBytes: number, path: string, wholeBytes = restBytes): Promise<void> {
    const stop =
      this.#bytes.bytesRead + restBytes + ((BLOCK_BYTES - (wholeBytes % BLOCK_BYTES)) % BLOCK_BYTES)
    if (stop > this.#options.caps.tarBytes) {
      throw new Refusal(`the archive has more than ${this.#options.caps.tarBytes} bytes`, path)
    }
    await this.#bytes.skip(stop - this.#bytes.bytesRead)
    if (this.#bytes.bytesRead !== stop) throw new CutOff(path)
  }

  async #extension(header: TarHeader): Promise<Buffer> {
    if (header.sizeBytes > MAX_EXTENSION_BYTES)
      throw new Refusal('a long name or pax header is too large', '')
    const content = await this.#bytes.exactly(header.sizeBytes)
    if (content === undefined) throw new CutOff('')
    await this.#skip(0, '', header.sizeBytes)
    return content
  }

  async #pax(header: TarHeader): Promise<ReadonlyMap<string, Buffer>> {
    const records = decodePax(await this.#extension(header))
    if (records === undefined) throw new Refusal('a pax header is malformed', '')
    return records
  }

  #overridesOf(pax: ReadonlyMap<string, Buffer>): { name?: Buffer; linkName?: Buffer; sizeBytes?: number } {
    const name = pax.get('path')
    const linkName = pax.get('linkpath')
    const size = pax.get('size')?.toString('latin1')
    if ([...pax.keys()].some((key) => key.startsWith('GNU.sparse.'))) {
      throw new Refusal('it is a sparse file', name?.toString('utf8') ?? '')
    }
    if (size !== undefined && !/^\d{1,15}$/.test(size)) {
      throw new Refusal('a pax header has a negative, huge or unreadable size', name?.toString('utf8') ?? '')
    }
    return {
      ...(name === undefined ? {} : { name }),
      ...(linkName === undefined ? {} : { linkName }),
      ...(size === undefined ? {} : { sizeBytes: Number(size) }),
    }
  }

  /** Records for all entries at once (git writes a comment there) may not rename or resize them. */
  #refuseOverrides(pax: ReadonlyMap<string, Buffer>): void {
    const key = [...pax.keys()].find(
      (each) => ['path', 'linkpath', 'size'].includes(each) || each.startsWith('GNU.sparse.'),
    )
    if (key !== undefined) throw new Refusal(`a global pax header sets ${key}`, '')
  }

  #count(sizeBytes: number, path: string): void {
    this.#totalBytes += sizeBytes
    if (this.#totalBytes > this.#options.caps.totalBytes) {
      throw new Refusal(`the tree has more than ${this.#options.caps.totalBytes} bytes`, path)
    }
  }

  #path(read: TarPath): string | undefined {
    if (read.kind === 'refused') throw new Refusal(read.reason, read.path)
    return read.kind === 'path' ? read.path : undefined
  }
}

function isFile(header: TarHeader): boolean {
  return header.typeflag === '0' || header.typeflag === '\0' || header.typeflag === '7'
}

const KINDS: Readonly<Record<string, string>> = {
  '3': 'it is a character device',
  '4': 'it is a block device',
  '6': 'it is a FIFO',
  S: 'it is a sparse file',
}
