import { readFile, stat } from 'node:fs/promises'
import { digestOfBytes, type Digest } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { Blobs } from '../journal/blobs.ts'
import type { Delivery, Worker } from './worker.ts'

/** Largest patch file that is read. */
export const MAX_PATCH_BYTES = 64 * 1024 * 1024

/** A diff as an attempt: its bytes are the parcel; it is applied when it is opened. */
export function patchWorker(patch: Uint8Array, label: string, blobs: Blobs): Worker {
  const parcel = digestOfBytes(patch)
  return {
    ...recordedPatchWorker(parcel, label, blobs),
    async keep() {
      await blobs.put(patch)
    },
  }
}

/** A diff that the run has already: the file may be gone, or another. */
export function recordedPatchWorker(parcel: Digest, label: string, blobs: Blobs): Worker {
  return {
    label,
    hearsFeedback: false,
    parcel,
    async work(): Promise<Delivery> {
      await blobs.get(parcel)
      return { end: { kind: 'patch' }, parcel }
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
