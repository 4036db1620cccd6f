import { createServer } from 'node:http'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureImage } from './ensure-image.ts'
import { resolveTaskImage } from './resolve-image.ts'
import { ensureTaskImage } from './task-image.ts'
import { makeWheel } from './test-wheel.ts'
import { makeTestStore, runIn, type TestStore } from './test-store.ts'

let store: TestStore
let folder: string
beforeAll(async () => {
  store = await makeTestStore(['base', 'node', 'python', 'worker'])
  folder = await mkdtemp(join(tmpdir(), 'assay-task-image-'))
})
afterAll(async () => {
  await store.remove()
  await rm(folder, { recursive: true })
})

const json = (data: unknown) => Buffer.from(JSON.stringify(data))
/** A small package without dependencies. */
const manifest = (range: string) => ({ 'package.json': json({ name: 'p', dependencies: { ms: range } }) })
const nodeVersionOf = (image: string) =>
  runIn(store.deps, image, [
    'node',
    '-e',
    'const r = require("module").createRequire("/box/tree/x.js"); console.log(r("ms/package.json").version)',
  ])

describe('npm dependencies', () => {
  test('without any, the image is the parent itself', async () => {
    const parent = await ensureImage(store.deps, 'node')
    const manifests = { 'package.json': json({ devDependencies: { ms: '2.1.3' } }) }
    const result = await ensureTaskImage(store.deps, { parent, kind: 'npm', manifests })
    expect(result).toEqual({ image: parent, installed: [] })
  })

  test('a tree at /box/tree finds them, in the product image and in the worker image, the same', async () => {
    const request = { kind: 'npm', manifests: manifest('^2.0.0') } as const
    const parent = await ensureImage(store.deps, 'node')
    const product = await ensureTaskImage(store.deps, { ...request, parent })
    const worker = await ensureImage(store.deps, 'worker')
    const work = await ensureTaskImage(store.deps, { ...request, parent: worker })
    expect(product.installed).toEqual([{ name: 'ms', version: expect.stringMatching(/^2\./) }])
    expect(work.installed).toEqual(product.installed)
    for (const { image } of [product, work]) {
      expect((await nodeVersionOf(image.id)).trim()).toBe(product.installed[0]?.version)
    }
    expect(store.lines.filter((line) => line.startsWith('dependencies: npm'))).toEqual([
      'dependencies: npm install',
    ])
    const left = await runIn(store.deps, product.image.id, ['ls', '-A1', '/box', '/root', '/tmp'])
    expect(left.split('\n').filter((line) => line !== '' && !line.endsWith(':'))).toEqual([
      'node_modules',
      '.bashrc',
      '.profile',
    ])
  })

  test('with what base is developed with only where that is wanted', async () => {
    const parent = await ensureImage(store.deps, 'node')
    const manifests = { 'package.json': json({ name: 'p', devDependencies: { ms: '2.1.3' } }) }
    const { image, installed } = await ensureTaskImage(store.deps, {
      parent,
      kind: 'npm',
      manifests,
      dev: true,
    })
    expect(installed).toEqual([{ name: 'ms', version: '2.1.3' }])
    expect((await nodeVersionOf(image.id)).trim()).toBe('2.1.3')
  })

  test('the second time nothing is installed or built', async () => {
    const parent = await ensureImage(store.deps, 'node')
    const before = store.lines.length
    await ensureTaskImage(store.deps, { parent, kind: 'npm', manifests: manifest('^2.0.0') })
    expect(store.lines.slice(before)).toEqual([])
  })

  test('the lockfile decides, and its integrity is checked', async () => {
    const parent = await ensureImage(store.deps, 'node')
    const locked = (integrity: string) => ({
      ...manifest('^2.0.0'),
      'package-lock.json': json({
        name: 'p',
        lockfileVersion: 3,
        packages: {
          '': { name: 'p', dependencies: { ms: '^2.0.0' } },
          'node_modules/ms': { version: '2.1.1', integrity },
        },
      }),
    })
    const right =
      'sha512-tgp+dl5cGk28utYktBsrFqA7HKgrhgPsg6Z/EfhWI4gl1Hwq8B/GmY/0oXZ6nF8hDVesS/FpnYaD/kOWhYQvyg=='
    const wrong = `sha512-${Buffer.alloc(64).toString('base64')}`
    const request = { parent, kind: 'npm' } as const
    const result = await ensureTaskImage(store.deps, { ...request, manifests: locked(right) })
    expect(result.installed).toEqual([{ name: 'ms', version: '2.1.1' }])
    await expect(ensureTaskImage(store.deps, { ...request, manifests: locked(wrong) })).rejects.toMatchObject(
      {
        code: 'infra/dependencies',
      },
    )
  })
})

describe('Python dependencies', () => {
  const requirements = (line: string) => ({ 'requirements.txt': Buffer.from(`${line}\n`) })

  beforeAll(async () => {
    await mkdir(join(folder, 'wheels'))
    await writeFile(
      join(folder, 'wheels', 'lefty-1.2.0-py3-none-any.whl'),
      await makeWheel(store.deps, 'lefty', '1.2.0'),
    )
  })

  test('from a folder of wheels, without network', async () => {
    const pip = { findLinks: join(folder, 'wheels') }
    for (const name of ['python', 'worker'] as const) {
      const parent = await ensureImage(store.deps, name)
      const request = { parent, kind: 'python', manifests: requirements('lefty>=1'), pip } as const
      const { image, installed } = await ensureTaskImage(store.deps, request)
      expect(installed).toEqual([{ name: 'lefty', version: '1.2.0' }])
      const printed = await runIn(store.deps, image.id, [
        'python3',
        '-I',
        '-c',
        'import lefty; print(lefty.v)',
      ])
      expect(printed).toBe('1.2.0\n')
    }
  })

  test('from an index, whose address does not stay in the image', async () => {
    const wheel = await readFile(join(folder, 'wheels', 'lefty-1.2.0-py3-none-any.whl'))
    const page = '<a href="/lefty-1.2.0-py3-none-any.whl">lefty-1.2.0-py3-none-any.whl</a>'
    const server = createServer((request, response) => {
      if (request.url === '/simple/lefty/') response.setHeader('content-type', 'text/html').end(page)
      else if (request.url?.endsWith('.whl') === true) response.end(wheel)
      else response.writeHead(404).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const parent = await ensureImage(store.deps, 'python')
      const pip = { indexUrl: `http://127.0.0.1:${port}/simple` }
      const manifests = {
        'pyproject.toml': Buffer.from('[project]\nname = "p"\ndependencies = ["lefty==1.2.0"]\n'),
      }
      const { image, installed } = await ensureTaskImage(store.deps, {
        parent,
        kind: 'python',
        manifests,
        pip,
      })
      expect(installed).toEqual([{ name: 'lefty', version: '1.2.0' }])
      const { Config } = await store.deps.docker.getImage(image.id).inspect()
      expect(JSON.stringify(Config)).not.toContain(String(port))
    } finally {
      server.close()
    }
  })

  test('a wrong hash is refused', async () => {
    const parent = await ensureImage(store.deps, 'python')
    const manifests = requirements(`lefty==1.2.0 --hash=sha256:${'0'.repeat(64)}`)
    const pip = { findLinks: join(folder, 'wheels') }
    await expect(
      ensureTaskImage(store.deps, { parent, kind: 'python', manifests, pip }),
    ).rejects.toMatchObject({
      code: 'infra/dependencies',
      message: expect.stringMatching(/hash/i),
    })
  })
})

describe('a task’s own image', () => {
  test('a name of ours', async () => {
    expect(await resolveTaskImage(store.deps, 'node', folder)).toEqual(await ensureImage(store.deps, 'node'))
  })

  test('a Dockerfile is built once; another byte in its folder makes another image', async () => {
    const context = join(folder, 'image')
    await mkdir(context)
    await writeFile(join(context, 'Dockerfile'), 'ARG ASSAY_NODE\nFROM ${ASSAY_NODE}\nCOPY data /data\n')
    await writeFile(join(context, 'data'), 'one')
    const first = await resolveTaskImage(store.deps, { dockerfile: 'image' }, folder)
    expect(await runIn(store.deps, first.id, ['cat', '/data'])).toBe('one')
    const lines = store.lines.length
    expect(await resolveTaskImage(store.deps, { dockerfile: 'image' }, folder)).toEqual(first)
    expect(store.lines.slice(lines)).toEqual([])
    await writeFile(join(context, 'data'), 'two')
    const second = await resolveTaskImage(store.deps, { dockerfile: 'image' }, folder)
    expect(second.id).not.toBe(first.id)
  })

  test('a folder without a Dockerfile is refused, by path', async () => {
    await mkdir(join(folder, 'empty'))
    for (const dockerfile of ['empty', 'missing']) {
      await expect(resolveTaskImage(store.deps, { dockerfile }, folder)).rejects.toMatchObject({
        code: 'config/image-unknown',
        message: expect.stringContaining(join(folder, dockerfile)),
      })
    }
  })

  test('a reference without a digest, or that nobody has, is refused', async () => {
    const digest = `sha256:${'0'.repeat(64)}`
    for (const reference of ['node:24', `127.0.0.1:9/nobody@${digest}`]) {
      await expect(resolveTaskImage(store.deps, { reference }, folder)).rejects.toMatchObject({
        code: 'config/image-unknown',
      })
    }
  })
})
