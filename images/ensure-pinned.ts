import { join } from 'node:path'
import { Fault } from '../specs/fault.ts'
import { say, type ImageDeps, type PinnedImage } from './deps.ts'
import { imageIdOf, removeUnfinished, tagImage, untagImage } from './engine-images.ts'
import { withExclusive } from './exclusive.ts'
import { asideName, engineName, rebuildCommand, storeOf } from './image-names.ts'
import { readLocalLock, recordInLocalLock, type LocalLockEntry } from './local-lock.ts'
import { fileName, withScratch } from './scratch.ts'

/** What to make sure of. */
export interface Wanted {
  /** Key in the machine's lock. */
  readonly name: string
  readonly recipe: string
  readonly rebuild?: boolean
}

/** An image that stands in the engine and has no name yet. */
export type Obtained = Omit<LocalLockEntry, 'recipe' | 'builtAt'>

/**
 * The common course of every image: look, lock, look again, clean up after an interrupted build, obtain, set the
 * image that it replaces aside, record, name. At each step the name stands for what the lock has or for nothing, so
 * that a process killed anywhere in between leaves nothing that the next call would have to refuse.
 */
export async function ensurePinned(
  deps: ImageDeps,
  wanted: Wanted,
  obtain: (scratch: string) => Promise<Obtained>,
): Promise<PinnedImage> {
  const ready = wanted.rebuild === true ? undefined : await findReady(deps, wanted)
  if (ready !== undefined) return ready
  const lockFile = join(deps.stateDir, 'locks', `image-${fileName(wanted.name)}`)
  return await withExclusive(lockFile, deps.signal, async () => {
    const meanwhile = wanted.rebuild === true ? undefined : await findReady(deps, wanted)
    if (meanwhile !== undefined) return meanwhile
    const store = storeOf(deps.stateDir)
    const replaced = (await readLocalLock(deps.stateDir))[wanted.name]?.imageId
    await removeUnfinished(deps, store, wanted.name, replaced)
    return await withScratch(deps.stateDir, wanted.name, async (scratch) => {
      const startedAtMs = performance.now()
      const obtained = await obtain(scratch)
      await setPreviousAside(deps, wanted.name, obtained.imageId)
      const entry = { ...obtained, recipe: wanted.recipe, builtAt: new Date().toISOString() }
      await recordInLocalLock(deps.stateDir, wanted.name, entry, deps.signal)
      await tagImage(deps, obtained.imageId, engineName(deps.stateDir, wanted.name))
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
        `run "${rebuildCommand(wanted.name)}", then this again`,
    )
  }
  if (entry.recipe !== wanted.recipe) return undefined
  if (named === undefined) {
    if ((await imageIdOf(deps, entry.imageId)) === undefined) return undefined
    await tagImage(deps, entry.imageId, name)
  }
  return { name: wanted.name, id: entry.imageId, recipe: entry.recipe }
}

/** An image that a new one replaces gets another name: a recorded run may still want it. */
async function setPreviousAside(deps: ImageDeps, name: string, newId: string): Promise<void> {
  const previous = (await readLocalLock(deps.stateDir))[name]
  if (previous === undefined || previous.imageId === newId) return
  if ((await imageIdOf(deps, previous.imageId)) === undefined) return
  const current = engineName(deps.stateDir, name)
  await tagImage(deps, previous.imageId, asideName(current, previous.imageId))
  if ((await imageIdOf(deps, current)) === previous.imageId) await untagImage(deps, current)
}
