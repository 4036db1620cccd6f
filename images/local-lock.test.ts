import Docker from 'dockerode'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ensureImage } from './ensure-image.ts'
import { readLocalLock, recordInLocalLock, removeFromLocalLock } from './local-lock.ts'

const never = new AbortController().signal
const digest = `sha256:${'0'.repeat(64)}`
const entry = {
  recipe: digest,
  imageId: digest,
  builtAt: '2026-01-01T00:00:00.000Z',
  source: 'registry',
} as const

let stateDir: string
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'assay-lock-'))
})
afterEach(() => rm(stateDir, { recursive: true }))

test('no lock yet: nothing is locked', async () => {
  expect(await readLocalLock(stateDir)).toEqual({})
})

test('entries recorded at the same time are all there', async () => {
  const names = ['a', 'b', 'c', 'd']
  await Promise.all(names.map((name) => recordInLocalLock(stateDir, name, entry, never)))
  expect(Object.keys(await readLocalLock(stateDir)).sort()).toEqual(names)
  expect((await readdir(stateDir)).sort()).toEqual(['images.lock.json', 'locks'])
})

test('an entry that is taken out is gone, and the others stay', async () => {
  for (const name of ['a', 'b']) await recordInLocalLock(stateDir, name, entry, never)
  await removeFromLocalLock(stateDir, 'a', never)
  expect(Object.keys(await readLocalLock(stateDir))).toEqual(['b'])
})

test.each(['', '{"version":2,"images":{}}', '{"version":1,"images":{"a":{}}}'])(
  'a lock that says %j is refused, by name',
  async (text) => {
    await writeFile(join(stateDir, 'images.lock.json'), text)
    await expect(readLocalLock(stateDir)).rejects.toMatchObject({
      code: 'config/image-lock',
      message: expect.stringContaining('images.lock.json'),
    })
  },
)

test('an engine that is not there is an infrastructure fault', async () => {
  await recordInLocalLock(stateDir, 'node', entry, never)
  const docker = new Docker({ socketPath: join(stateDir, 'no.sock') })
  await expect(ensureImage({ docker, stateDir, signal: never }, 'node')).rejects.toMatchObject({
    code: 'infra/engine-unreachable',
  })
})
