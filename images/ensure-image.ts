import { Fault } from '../specs/fault.ts'
import { COMMITTED_LOCK } from './committed-lock.ts'
import { IMAGE_DEFINITIONS, type ImageName } from './definitions.ts'
import type { ImageDeps, PinnedImage } from './deps.ts'
import { ensurePinned } from './ensure-pinned.ts'
import { storeOf } from './image-names.ts'
import { readLocalLock, type LocalLockEntry } from './local-lock.ts'
import { buildDefined, obtainDebian, pullPinned } from './obtain-image.ts'
import { ensureReadable } from './readable-image.ts'
import { recipeOf } from './recipe.ts'

export interface EnsureOptions {
  /** Build even if the image is there, and take over its name whoever has it. */
  readonly rebuild?: boolean
}

/**
 * The image of that name, pinned: the one in the machine's lock if the engine has it, otherwise pulled by digest or
 * built, then locked; with readable runtimes if that is asked for. Any number of callers, in any number of processes,
 * cause one build.
 * @throws Fault `config/image-mismatch` where another image stands under the lock's name, `config/no-base` where
 * nothing can be built from, `infra/image-build`, `infra/engine-unreachable`.
 */
export async function ensureImage(
  deps: ImageDeps,
  name: ImageName,
  options: EnsureOptions = {},
): Promise<PinnedImage> {
  const image = await ensureDefined(deps, name, options)
  if (deps.readableRuntimes !== true) return image
  return await ensureReadable(deps, image, await lockEntry(deps, name))
}

async function ensureDefined(
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
        : await obtainParent(deps, definition.parent)
    return await buildDefined(deps, definition, parent, store, scratch, rebuild)
  })
}

async function obtainParent(deps: ImageDeps, parent: ImageName): Promise<LocalLockEntry> {
  await ensureDefined(deps, parent)
  return await lockEntry(deps, parent)
}

async function lockEntry(deps: ImageDeps, name: ImageName): Promise<LocalLockEntry> {
  const entry = (await readLocalLock(deps.stateDir))[name]
  if (entry === undefined) throw new Fault('bug/image-lock', `image ${name} left the lock`)
  return entry
}

function registryDigestOf(entry: LocalLockEntry | undefined, recipe: string): string | undefined {
  return entry?.source === 'registry' && entry.recipe === recipe ? entry.registryDigest : undefined
}
