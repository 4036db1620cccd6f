import Docker from 'dockerode'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ImageName } from './definitions.ts'
import type { ImageDeps } from './deps.ts'
import { STORE_LABEL } from './engine-images.ts'
import { ensureImage } from './ensure-image.ts'
import { storeOf } from './image-names.ts'
import { readLocalLock, recordInLocalLock } from './local-lock.ts'

/** The state directory that docker tests share, so that images are built once a machine. */
const SHARED_STATE = process.env['ASSAY_TEST_STATE'] ?? join(homedir(), '.cache', 'assay-test')

const never = new AbortController().signal

/** What a docker test of another folder needs to get images. */
export const sharedDeps = (): ImageDeps => ({ docker: new Docker(), stateDir: SHARED_STATE, signal: never })

/** A state directory of a test's own, which knows some of the shared images. */
export interface TestStore {
  readonly deps: ImageDeps
  /** Every line of progress so far. */
  readonly lines: string[]
  /** Removes the folder and every image that was made for it. */
  remove(): Promise<void>
}

/** Makes a store; the named images are in it as if they had been built there. */
export async function makeTestStore(known: readonly ImageName[]): Promise<TestStore> {
  const shared = sharedDeps()
  const stateDir = await mkdtemp(join(tmpdir(), 'assay-images-'))
  for (const name of known) {
    await ensureImage(shared, name)
    const entry = (await readLocalLock(SHARED_STATE))[name]
    if (entry !== undefined) await recordInLocalLock(stateDir, name, entry, never)
  }
  const lines: string[] = []
  const deps = { ...shared, stateDir, progress: (line: string) => lines.push(line) }
  return { deps, lines, remove: () => removeStore(deps) }
}

async function removeStore(deps: ImageDeps): Promise<void> {
  const store = storeOf(deps.stateDir)
  await rm(deps.stateDir, { recursive: true })
  const images = await deps.docker.listImages()
  for (const image of images) {
    const ours = (image.RepoTags ?? []).filter((tag) => tag.startsWith('assay/') && tag.includes(`:${store}`))
    for (const tag of ours) await deps.docker.getImage(tag).remove()
  }
  for (const image of await imagesOf(deps)) await deps.docker.getImage(image).remove({ force: true })
}

/** Images that the engine has and that were made for this store, finished or not. */
export async function imagesOf(deps: ImageDeps): Promise<readonly string[]> {
  const filters = { label: [`${STORE_LABEL}=${storeOf(deps.stateDir)}`] }
  return (await deps.docker.listImages({ filters })).map((image) => image.Id)
}

/** Runs a program in a new container of the image, without network, and gives what it printed. */
export async function runIn(deps: ImageDeps, image: string, argv: readonly string[]): Promise<string> {
  const container = await deps.docker.createContainer({
    Image: image,
    Cmd: [...argv],
    Tty: true,
    HostConfig: { NetworkMode: 'none' },
  })
  try {
    await container.start()
    await container.wait()
    return (await container.logs({ stdout: true, stderr: true })).toString('utf8').replaceAll('\r\n', '\n')
  } finally {
    await container.remove({ force: true })
  }
}
