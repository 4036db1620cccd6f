import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureImage } from './ensure-image.ts'
import { readLocalLock } from './local-lock.ts'
import { publishImage } from './publish-image.ts'
import { resolveTaskImage } from './resolve-image.ts'
import { makeTestStore, type TestStore } from './test-store.ts'

const PROGRAM = '/usr/bin/docker-registry'

/** Debian's registry, installed if it can be. */
function haveRegistry(): boolean {
  if (existsSync(PROGRAM)) return true
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  const args = ['install', '-y', '-q', '--no-install-recommends', 'docker-registry']
  spawnSync('apt-get', args, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  return existsSync(PROGRAM)
}

describe.skipIf(!haveRegistry())('a registry on loopback', () => {
  let folder: string
  let port: number
  let registry: ChildProcess
  let store: TestStore

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-registry-'))
    port = await freePort()
    const settings = {
      version: 0.1,
      log: { level: 'error' },
      storage: { filesystem: { rootdirectory: join(folder, 'data') } },
      http: { addr: `127.0.0.1:${port}` },
    }
    await writeFile(join(folder, 'config.yml'), JSON.stringify(settings))
    registry = spawn(PROGRAM, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' })
    await answering(`http://127.0.0.1:${port}/v2/`)
    store = await makeTestStore(['base', 'node'])
  })
  afterAll(async () => {
    await store.remove()
    registry.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })

  test('an image is published, lost, and pulled by its digest; it is the same image', async () => {
    const deps = { ...store.deps, registry: `127.0.0.1:${port}/assay` }
    const { image, registryDigest } = await publishImage(deps, 'judge')
    expect((await readLocalLock(deps.stateDir))['judge']).toMatchObject({
      registryDigest,
      source: 'registry',
    })

    await deps.docker.getImage(image.id).remove({ force: true })
    const before = store.lines.length
    expect((await ensureImage(deps, 'judge')).id).toBe(image.id)
    expect(store.lines.slice(before)).toEqual([
      `judge: pulling 127.0.0.1:${port}/assay/judge@${registryDigest}`,
      expect.stringMatching(/^judge: ready/),
    ])

    await deps.docker.getImage(image.id).remove({ force: true })
    const reference = `127.0.0.1:${port}/assay/judge@${registryDigest}`
    expect(await resolveTaskImage(deps, { reference }, folder)).toMatchObject({ id: image.id })
    await deps.docker.getImage(image.id).remove({ force: true })
  })

  test('a registry that does not answer is passed over', async () => {
    const deps = { ...store.deps, registry: `127.0.0.1:${await freePort()}/assay` }
    const imageId = (await ensureImage(deps, 'judge')).id
    const lock = (await readLocalLock(deps.stateDir))['judge']
    expect(lock).toMatchObject({ imageId, source: (await readLocalLock(deps.stateDir))['node']?.source })
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function answering(address: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answer = await fetch(address).catch(() => undefined)
    if (answer?.ok === true) return
    await delay(50)
  }
  throw new Error(`${address} does not answer`)
}
