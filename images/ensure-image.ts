import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOfBytes } from '../specs/digest.ts'
import { Fault } from '../specs/fault.ts'
import { COMMITTED_LOCK } from './committed-lock.ts'
import { IMAGE_DEFINITIONS, type ImageName } from './definitions.ts'
import { say, type ImageDeps, type PinnedImage } from './deps.ts'
import { imageIdOf, removeUnfinished, tagImage } from './engine-images.ts'
import { withExclusive } from './exclusive.ts'
import { readLocalLock, recordInLocalLock, type LocalLockEntry } from './local-lock.ts'
import { buildDefined, obtainDebian, pullPinned, type Obtained } from './obtain-image.ts'
import { recipeOf } from './recipe.ts'

export interface EnsureOptions {
  /** Build even if the image is there, and take over its name whoever has it. */
  readonly rebuild?: boolean
}

/**
 * The image of that name, pinned: the one in the machine's lock if the engine has it, otherwise pulled by digest or
 * built, then locked. Any number of callers, in any number of processes, cause one build.
 * @throws Fault `config/image-mismatch` where another image stands under the lock's name, `config/no-base` where
 * nothing can be built from, `infra/image-build`, `infra/engine-unreachable`.
 */
export async function ensureImage(
  deps: ImageDeps,
  name: ImageName,
  options: EnsureOptions = {},
): Promise<PinnedImage> {
  const rebuild = options.rebuild ?? false
  return await ensurePinned(deps, { name, recipe: recipeOf(name), rebuild }, async (scratch) => {
    const store = storeOf(deps.stateDir)
    const previous = (await readLocalLock(deps.stateDir))[name]
    const locked = COMMITTED_LOCK.images[name]?.registryDigest ?? registryDigestOf(previous, recipeOf(name))
    const pulled = rebuild ? undefined : await pullPinned(deps, name, locked)
    if (pulled !== undefined) return pulled
    const definition = IMAGE_DEFINITIONS[name]
    const parent =
      definition.parent === null
        ? await obtainDebian(deps, store, scratch)
        : await ensureImage(deps, definition.parent).then(() => parentEntry(deps, definition.parent))
    return await buildDefined(deps, definition, parent, store, scratch, rebuild)
  })
}

async function parentEntry(deps: ImageDeps, parent: ImageName | null): Promise<LocalLockEntry> {
  const entry = (await readLocalLock(deps.stateDir))[parent ?? 'base']
  if (entry === undefined) throw new Fault('bug/parent-image', `image ${String(parent)} left the lock`)
  return entry
}

function registryDigestOf(entry: LocalLockEntry | undefined, recipe: string): string | undefined {
  return entry?.source === 'registry' && entry.recipe === recipe ? entry.registryDigest : undefined
}

/** What to make sure of. */
export interface Wanted {
  /** Key in the machine's lock. */
  readonly name: string
  readonly recipe: string
  readonly rebuild?: boolean
}

type Extra = Pick<LocalLockEntry, 'installed' | 'generatedLockfile'>

/**
 * The common course of every image: look, lock, look again, clean up after an interrupted build, obtain, name,
 * record. The name is given last but one and the lock entry last, so that what was interrupted is as if it had
 * never begun.
 */
export async function ensurePinned(
  deps: ImageDeps,
  wanted: Wanted,
  obtain: (scratch: string) => Promise<Obtained & Extra>,
): Promise<PinnedImage> {
  const ready = wanted.rebuild === true ? undefined : await findReady(deps, wanted)
  if (ready !== undefined) return ready
  const lockFile = join(deps.stateDir, 'locks', `image-${fileName(wanted.name)}`)
  return await withExclusive(lockFile, deps.signal, async () => {
    const meanwhile = wanted.rebuild === true ? undefined : await findReady(deps, wanted)
    if (meanwhile !== undefined) return meanwhile
    const store = storeOf(deps.stateDir)
    await removeUnfinished(deps, store, wanted.name)
    return await withScratch(deps.stateDir, wanted.name, async (scratch) => {
      const startedAtMs = performance.now()
      const obtained = await obtain(scratch)
      await keepPrevious(deps, wanted.name, obtained.imageId)
      await tagImage(deps, obtained.imageId, engineName(deps.stateDir, wanted.name))
      const entry = { recipe: wanted.recipe, builtAt: new Date().toISOString(), ...obtained }
      await recordInLocalLock(deps.stateDir, wanted.name, entry, deps.signal)
      say(deps, `${wanted.name}: ready after ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`)
      return { name: wanted.name, id: obtained.imageId, recipe: wanted.recipe }
    })
  })
}

/** The image as the lock has it, if the lock is of this recipe and the engine has the image. */
async function findReady(deps: ImageDeps, wanted: Wanted): Promise<PinnedImage | undefined> {
  const entry = (await readLocalLock(deps.stateDir))[wanted.name]
  if (entry === undefined) return undefined
  const name = engineName(deps.stateDir, wanted.name)
  const named = await imageIdOf(deps, name)
  if (named !== undefined && named !== entry.imageId) {
    throw new Fault(
      'config/image-mismatch',
      `image ${wanted.name}: the lock has ${entry.imageId}, but ${name} is ${named}; ` +
        `run "assay images build ${wanted.name}" to build and lock it anew`,
    )
  }
  if (entry.recipe !== wanted.recipe) return undefined
  if (named === undefined) {
    if ((await imageIdOf(deps, entry.imageId)) === undefined) return undefined
    await tagImage(deps, entry.imageId, name)
  }
  return { name: wanted.name, id: entry.imageId, recipe: entry.recipe }
}

/** An image that a new one replaces keeps a name of its own: a recorded run may still want it. */
async function keepPrevious(deps: ImageDeps, name: string, newId: string): Promise<void> {
  const previous = (await readLocalLock(deps.stateDir))[name]
  if (previous === undefined || previous.imageId === newId) return
  if ((await imageIdOf(deps, previous.imageId)) === undefined) return
  const suffix = previous.imageId.slice('sha256:'.length, 'sha256:'.length + 12)
  await tagImage(deps, previous.imageId, `${engineName(deps.stateDir, name)}-${suffix}`)
}

/** Tells the images of one state directory from those of another on the same engine. */
export function storeOf(stateDir: string): string {
  return digestOfBytes(stateDir).slice('sha256:'.length, 'sha256:'.length + 8)
}

/** The name under which the engine shows an image. People read it; boxes are made from ids. */
export function engineName(stateDir: string, name: string): string {
  return `assay/${name}:${storeOf(stateDir)}`
}

async function withScratch<T>(
  stateDir: string,
  name: string,
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  const parent = join(stateDir, 'tmp')
  const prefix = `image-${fileName(name)}-`
  await mkdir(parent, { recursive: true })
  // We hold the build lock, so whatever is there was left by a build that was killed.
  for (const left of await readdir(parent)) {
    if (left.startsWith(prefix) && left.length === prefix.length + 6) {
      await rm(join(parent, left), { recursive: true, force: true })
    }
  }
  const scratch = await mkdtemp(join(parent, prefix))
  try {
    return await work(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

function fileName(name: string): string {
  return name.replaceAll(/[^a-z0-9-]/g, '-')
}
