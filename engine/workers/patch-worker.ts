import { readFile, stat } from 'node:fs/promises'
import { Fault } from '../../specs/fault.ts'
import type { Blobs } from '../journal/blobs.ts'
import type { Delivery, Worker } from './worker.ts'

/** Largest patch file that is read. */
export const MAX_PATCH_BYTES = 64 * 1024 * 1024

/** A diff file as an attempt: its bytes are the parcel; it is applied when it is opened. */
export function patchWorker(file: string, label: string, blobs: Blobs): Worker {
  return {
    label,
    hearsFeedback: false,
    async work(): Promise<Delivery> {
      return { end: { kind: 'patch' }, parcel: await blobs.put(await readPatch(file)) }
    },
  }
}

/** @throws Fault `config/patch` when the file cannot be read or is too large. */
export async function readPatch(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file)
    if (size > MAX_PATCH_BYTES) {
      throw new Fault('config/patch', `${file}: ${size} bytes, expected at most ${MAX_PATCH_BYTES}`)
    }
    return await readFile(file)
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw new Fault('config/patch', `${file}: the patch cannot be read`, { cause })
  }
}
