import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { digestOfBytes, type Digest } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'

/**
 * Large things of a run, named by their sha256. Written to a temporary name, fsynced, then renamed: what stands under
 * a digest is whole. Reading checks the digest again.
 */
export class Blobs {
  readonly directory: string

  constructor(directory: string) {
    this.directory = directory
  }

  async put(bytes: Uint8Array | string): Promise<Digest> {
    const digest = digestOfBytes(bytes)
    if (await this.has(digest)) return digest
    const temporary = await this.#temporary()
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, this.path(digest))
    return digest
  }

  /**
   * Stores a stream of at most `maxBytes`.
   * @returns the digest, or undefined when it was larger (then nothing is kept).
   */
  async putStream(source: Readable, maxBytes: number): Promise<Digest | undefined> {
    const temporary = await this.#temporary()
    const hash = createHash('sha256')
    let sizeBytes = 0
    const cap = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        sizeBytes += chunk.length
        if (sizeBytes > maxBytes) {
          done(new TooLarge())
          return
        }
        hash.update(chunk)
        done(null, chunk)
      },
    })
    try {
      await pipeline(source, cap, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }))
    } catch (error) {
      await rm(temporary, { force: true })
      if (error instanceof TooLarge) return undefined
      throw error
    }
    const digest = `sha256:${hash.digest('hex')}`
    await rename(temporary, this.path(digest))
    return digest
  }

  /** @throws Fault `config/blob` when it is not there or is not what its name says. */
  async get(digest: Digest): Promise<Buffer> {
    let bytes: Buffer
    try {
      bytes = await readFile(this.path(digest))
    } catch (cause) {
      throw new Fault('config/blob', `${this.path(digest)}: missing`, { cause })
    }
    if (digestOfBytes(bytes) !== digest) {
      throw new Fault('config/blob', `${this.path(digest)}: its content does not match its name`)
    }
    return bytes
  }

  stream(digest: Digest): Readable {
    return createReadStream(this.path(digest))
  }

  async has(digest: Digest): Promise<boolean> {
    return access(this.path(digest)).then(
      () => true,
      () => false,
    )
  }

  path(digest: Digest): string {
    return join(this.directory, digest.replace(':', '-'))
  }

  async #temporary(): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    return join(this.directory, `.tmp-${randomUUID()}`)
  }
}

class TooLarge extends Error {}
