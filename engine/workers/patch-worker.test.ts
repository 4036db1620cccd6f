import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Blobs } from '../journal/blobs.ts'
import { patchWorker, readPatch, recordedPatchWorker } from './patch-worker.ts'

let folder: string
let blobs: Blobs
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-patch-'))
  blobs = new Blobs(join(folder, 'blobs'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const round = { attempt: 1, round: 1, tree: 'b'.repeat(40), feedback: undefined }
const { signal } = new AbortController()

it('delivers the patch that was read at the beginning, also in a resumed run and when the file is another', async () => {
  const file = join(folder, 'a.diff')
  writeFileSync(file, 'first')
  const worker = patchWorker(await readPatch(file), 'a', blobs)
  await worker.keep?.()
  writeFileSync(file, 'second')
  const resumed = recordedPatchWorker(worker.parcel ?? '', 'a', blobs)
  for (const one of [worker, resumed]) {
    const { end, parcel } = await one.work(round, signal)
    expect(end).toEqual({ kind: 'patch' })
    expect((await blobs.get(parcel)).toString()).toBe('first')
  }
})

it('says which file of the run is gone', async () => {
  const digest = `sha256:${'0'.repeat(64)}`
  const worker = recordedPatchWorker(digest, 'a', blobs)
  await expect(worker.work(round, signal)).rejects.toMatchObject({ code: 'config/blob' })
})

it('names a patch file that cannot be read', async () => {
  await expect(readPatch(join(folder, 'no.diff'))).rejects.toThrow(/no\.diff: the patch cannot be read/)
})
