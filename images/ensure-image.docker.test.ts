import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { buildContext } from './build-context.ts'
import { IMAGE_NAMES } from './definitions.ts'
import { buildImage, imageIdOf, IMAGE_LABEL, STORE_LABEL, tagImage } from './engine-images.ts'
import { ensureImage } from './ensure-image.ts'
import { ensurePinned } from './ensure-pinned.ts'
import { forgetImage } from './forget-image.ts'
import { engineName, storeOf } from './image-names.ts'
import { listImages, verifyImages } from './image-status.ts'
import { readLocalLock, recordInLocalLock } from './local-lock.ts'
import { resolveTaskImage } from './resolve-image.ts'
import { imagesOf, makeTestStore, runIn, sharedDeps, type TestStore } from './test-store.ts'

describe('the images', () => {
  test.each(IMAGE_NAMES)(
    '%s has the boxes’ users and no setuid binary',
    { timeout: 300_000 },
    async (name) => {
      const { id } = await ensureImage(sharedDeps(), name)
      const script = `
      find / -xdev -type f -perm /6000
      grep -c '^box[0-9]*:x:200[0-9][0-9]:200[0-9][0-9]::/nonexistent:' /etc/passwd
      id box-init; id box99; for name in mac dev dev2 app; do id -u $name; done; stat -c '%a %U %n' /box; env | grep -v -e HOSTNAME -e HOME -e PWD -e TERM | sort`
      expect(await runIn(sharedDeps(), id, ['/bin/sh', '-c', script])).toBe(
        [
          '100',
          'uid=19999(box-init) gid=19999(box-init) groups=19999(box-init)',
          'uid=20099(box99) gid=20099(box99) groups=20099(box99)',
          ...['501', '1000', '1001', '10001'],
          '755 root /box',
          'LANG=C.UTF-8',
          'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
          '',
        ].join('\n'),
      )
    },
  )

  test('worker has what a worker expects', async () => {
    const { id } = await ensureImage(sharedDeps(), 'worker')
    const programs = ['node', 'npm', 'npx', 'python', 'python3', 'git', 'rg', 'patch', 'less', 'diff', 'ps']
    const script = programs
      .map((program) => `command -v ${program} > /dev/null || echo ${program}`)
      .join('\n')
    expect(await runIn(sharedDeps(), id, ['/bin/sh', '-c', script])).toBe('')
  })

  test('product and judge images have no package manager of a language', async () => {
    for (const name of ['node', 'python', 'go', 'judge'] as const) {
      const { id } = await ensureImage(sharedDeps(), name)
      const script = 'command -v npm pip pip3 git'
      expect(await runIn(sharedDeps(), id, ['/bin/sh', '-c', script])).toBe('')
    }
  })
})

describe('an image with readable runtimes', () => {
  const readable = { ...sharedDeps(), readableRuntimes: true }
  const unreadable = 'find / -xdev -type f -perm -0111 ! -perm -0444'

  test('is laid on the image of that name, which keeps its own to itself', async () => {
    const image = await ensureImage(readable, 'node')
    const plain = await ensureImage(sharedDeps(), 'node')
    expect(image.name).toBe('node-readable')
    expect(await runIn(readable, image.id, ['sh', '-c', unreadable])).toBe('')
    expect(await runIn(readable, plain.id, ['sh', '-c', unreadable])).toContain('/usr/local/bin/node\n')
    const version = ['node', '--version']
    expect(await runIn(readable, image.id, version)).toBe(await runIn(readable, plain.id, version))
  })

  test('is what a task’s own Dockerfile starts from', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-readable-'))
    await writeFile(
      join(folder, 'Dockerfile'),
      'ARG ASSAY_NODE\nFROM ${ASSAY_NODE}\nRUN mkdir /of-the-task\n',
    )
    const store = await makeTestStore(['base', 'node'])
    try {
      const deps = { ...store.deps, readableRuntimes: true }
      const image = await resolveTaskImage(deps, { dockerfile: '.' }, folder)
      expect(await runIn(deps, image.id, ['sh', '-c', `ls -d /of-the-task; ${unreadable}`])).toBe(
        '/of-the-task\n',
      )
    } finally {
      await store.remove()
      await rm(folder, { recursive: true })
    }
  })
})

describe('the lock', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await makeTestStore(['base', 'node'])
  })
  afterEach(() => store.remove())

  test('what is locked and there is not built again', async () => {
    const image = await ensureImage(store.deps, 'node')
    expect(store.lines).toEqual([])
    expect(await imageIdOf(store.deps, engineName(store.deps.stateDir, 'node'))).toBe(image.id)
  })

  test('callers at the same time cause one build', async () => {
    const images = await Promise.all([1, 2, 3].map(() => ensureImage(store.deps, 'judge')))
    expect(new Set(images.map(({ id }) => id)).size).toBe(1)
    expect(store.lines.filter((line) => line.startsWith('judge: ready'))).toHaveLength(1)
  })

  test('another image under the name is refused, until it is built on purpose', async () => {
    const { deps } = store
    const judge = await ensureImage(deps, 'judge')
    const { id: other } = await ensureImage(deps, 'base')
    await tagImage(deps, other, engineName(deps.stateDir, 'judge'))
    await expect(ensureImage(deps, 'judge')).rejects.toMatchObject({
      code: 'config/image-mismatch',
      message: expect.stringMatching(new RegExp(`${judge.id}.*${other}.*assay images build --rebuild judge`)),
    })
    expect((await verifyImages(deps)).map(({ name, state }) => [name, state])).toEqual([
      ['judge', 'mismatch'],
    ])
    const rebuilt = await ensureImage(deps, 'judge', { rebuild: true })
    expect((await ensureImage(deps, 'judge')).id).toBe(rebuilt.id)
    expect(await verifyImages(deps)).toEqual([])
    // The replaced one may be named by a recorded run: it stays.
    expect(await imageIdOf(deps, judge.id)).toBe(judge.id)
  })

  test('an image that is forgotten is gone from the lock and has lost its name, but is there', async () => {
    const { deps } = store
    const name = engineName(deps.stateDir, 'dockerfile-of-a-task')
    const { id } = await ensureImage(deps, 'base')
    const entry = (await readLocalLock(deps.stateDir))['base']
    if (entry !== undefined)
      await recordInLocalLock(deps.stateDir, 'dockerfile-of-a-task', entry, deps.signal)
    await tagImage(deps, id, name)
    await forgetImage(deps, 'dockerfile-of-a-task')
    expect(Object.keys(await readLocalLock(deps.stateDir))).not.toContain('dockerfile-of-a-task')
    expect(await imageIdOf(deps, name)).toBeUndefined()
    expect(await imageIdOf(deps, id)).toBe(id)
  })

  test('an image that the engine lost is built again', async () => {
    const { deps } = store
    await ensureImage(deps, 'judge')
    await deps.docker.getImage(engineName(deps.stateDir, 'judge')).remove()
    expect((await verifyImages(deps)).map(({ name, state }) => [name, state])).toEqual([['judge', 'missing']])
    await ensureImage(deps, 'judge')
    expect(await verifyImages(deps)).toEqual([])
  })

  test('the list has every image of ours, built or not', async () => {
    const states = (await listImages(store.deps)).map(({ name, state }) => [name, state])
    expect(states).toEqual([
      ['base', 'ready'],
      ['node', 'ready'],
      ['python', 'not-built'],
      ['go', 'not-built'],
      ['judge', 'not-built'],
      ['worker', 'not-built'],
    ])
  })
})

describe('an interrupted build', () => {
  let store: TestStore
  beforeEach(async () => {
    store = await makeTestStore(['base'])
  })
  afterEach(() => store.remove())

  const slow = (deps: TestStore['deps'], command: string) =>
    ensurePinned(deps, { name: 'slow', recipe: `sha256:${'1'.repeat(64)}` }, async () => {
      const { id } = await ensureImage(deps, 'base')
      const dockerfile = [
        `FROM ${id}`,
        `LABEL ${STORE_LABEL}=${storeOf(deps.stateDir)} ${IMAGE_LABEL}=slow`,
        'RUN echo first > /first',
        `RUN ${command}`,
      ]
      const context = buildContext([{ path: 'Dockerfile', bytes: Buffer.from(dockerfile.join('\n')) }])
      return { imageId: await buildImage(deps, context, { name: 'slow' }), source: 'dockerfile' }
    })

  test('leaves no name, no lock entry and no scratch folder, and the next call removes its layers', async () => {
    const controller = new AbortController()
    const progress = (line: string) => {
      if (line.startsWith('slow: step 4/4')) controller.abort()
    }
    const deps = { ...store.deps, signal: controller.signal, progress }
    await expect(slow(deps, 'sleep 30')).rejects.toMatchObject({ name: 'AbortError' })
    expect(await imageIdOf(store.deps, engineName(deps.stateDir, 'slow'))).toBeUndefined()
    expect(await readdir(join(deps.stateDir, 'tmp'))).toEqual([])
    expect((await listImages(store.deps)).map(({ name }) => name)).not.toContain('slow')

    const { id } = await slow(store.deps, 'true')
    expect(await imagesOf(store.deps)).toEqual([id])
  })

  test('a command that fails is told with what it printed', async () => {
    await expect(slow(store.deps, 'echo the reason; exit 3')).rejects.toMatchObject({
      code: 'infra/image-build',
      message: expect.stringContaining('the reason'),
    })
  })
})
