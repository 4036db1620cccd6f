import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { batchSchema } from '../../specs/batch.ts'
import { examplesOf } from '../../specs/testing/examples.ts'
import { openStateDirectory } from '../state-directory.ts'
import { filesOfTask, listBatches, readBatch, writeBatch } from './batch-record.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-batch-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('the record of a batch', () => {
  it('is read as it was written, and one that was cut off is none', async () => {
    const state = await openStateDirectory(folder)
    const batch = batchSchema.parse(examplesOf('batch', 'valid')[0])
    await writeBatch(state, batch)
    mkdirSync(join(state.batches, 'batch-99990101-000000-cut'))
    expect(await listBatches(state)).toEqual([batch.id])
    expect(await readBatch(state, batch.id)).toEqual(batch)
    await expect(readBatch(state, 'batch-nothing')).rejects.toThrow('batch-nothing: no such batch')
  })
})

describe('the files of a task', () => {
  it.each<[string, () => void]>([
    ['its bytes', () => writeFileSync(join(folder, 'a'), 'other')],
    ['whether it can be executed', () => chmodSync(join(folder, 'a'), 0o755)],
    [
      'where a link leads',
      () => {
        unlinkSync(join(folder, 'l'))
        symlinkSync('elsewhere', join(folder, 'l'))
      },
    ],
    ['that it is there', () => unlinkSync(join(folder, 'a'))],
  ])('are others when this of one changes: %s', async (_, change) => {
    writeFileSync(join(folder, 'a'), 'a')
    symlinkSync('a', join(folder, 'l'))
    const before = await filesOfTask(folder)
    expect(await filesOfTask(folder)).toEqual(before)
    change()
    expect(await filesOfTask(folder)).not.toEqual(before)
  })
})
