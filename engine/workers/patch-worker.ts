import { digestOfBytes, type Digest } from '../../specs/digest.ts'
import { readRegularFile } from '../task/read-regular-file.ts'
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
  return readRegularFile(file, 'the patch', MAX_PATCH_BYTES, 'config/patch')
}
