import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { storeForTest } from '../testing/store-for-test.ts'
import { openArchive } from './open-archive.ts'

const { root } = await storeForTest()
const { signal } = new AbortController()
const content = Buffer.concat([randomBytes(2000), Buffer.alloc(9999, 'abc')])
const archive = join(root, 'archive')

test.each([
  ['as it is', content],
  ['gzipped', gzipSync(content)],
])('%s', async (_, bytes) => {
  await writeFile(archive, bytes)
  expect(await buffer(await openArchive(archive, signal))).toEqual(content)
})

test('cut off, and read late: who reads is told, and nobody else', async () => {
  await writeFile(archive, gzipSync(content).subarray(0, 1500))
  const opened = await Promise.all(Array.from({ length: 40 }, () => openArchive(archive, signal)))
  // Vitest fails on an error that nobody caught.
  await delay(200)
  for (const tar of opened) await expect(buffer(tar)).rejects.toMatchObject({ code: 'Z_BUF_ERROR' })
})
