import { open } from 'node:fs/promises'
import { constants } from 'node:fs'
import { Fault, type FaultCode } from '../../specs/fault.ts'

/**
 * Reads a file that a user named. A pipe or a device would be waited for, or never end, so only a regular file is read.
 * @param what for the message: `the request`, `the patch`; nothing where the path says it.
 * @throws Fault with `code` when it is none, cannot be read or is larger than `maxBytes`.
 */
export async function readRegularFile(
  path: string,
  what: string | undefined,
  maxBytes: number,
  code: FaultCode,
): Promise<Buffer> {
  const subject = what === undefined ? '' : `${what} `
  const place = what === undefined ? path : `${path}: ${what}`
  try {
    // Without O_NONBLOCK the open of a pipe waits for somebody to write to it.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stat = await file.stat()
      if (!stat.isFile()) throw new Fault(code, `${place}: expected a regular file`)
      if (stat.size > maxBytes)
        throw new Fault(code, `${place}: ${stat.size} bytes, expected at most ${maxBytes}`)
      return await file.readFile()
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw new Fault(code, `${path}: ${subject}cannot be read`, { cause })
  }
}
