import { IMAGE_NAMES } from './definitions.ts'
import type { ImageDeps } from './deps.ts'
import { imageIdOf } from './engine-images.ts'
import { engineName } from './image-names.ts'
import { readLocalLock, type LocalLockEntry } from './local-lock.ts'
import { recipeOf } from './recipe.ts'

/**
 * - `ready`: the engine has exactly the locked image
 * - `not-built`: there is nothing in the lock
 * - `missing`: the lock has it, the engine does not; it is built anew when wanted
 * - `outdated`: the definition changed since; it is built anew when wanted
 * - `mismatch`: another image stands under its name; nothing runs until it is built anew on purpose
 */
export type ImageState = 'ready' | 'not-built' | 'missing' | 'outdated' | 'mismatch'

export interface ImageStatus {
  readonly name: string
  readonly state: ImageState
  /** Name under which the engine shows it. */
  readonly engineName: string
  /** What the engine has under that name. */
  readonly engineId?: string
  readonly locked?: LocalLockEntry
}

/** What the engine and the lock know of an image. */
export interface ImageFacts {
  /** Recipe of today's definition; undefined for a task's image, whose recipe is its name. */
  readonly recipe: string | undefined
  readonly locked: LocalLockEntry | undefined
  /** Image under the name. */
  readonly namedId: string | undefined
  readonly engineHasLocked: boolean
}

/** The state of an image; pure. */
export function imageState(facts: ImageFacts): ImageState {
  const { locked, namedId, recipe } = facts
  if (locked === undefined) return 'not-built'
  if (namedId !== undefined && namedId !== locked.imageId) return 'mismatch'
  if (!facts.engineHasLocked) return 'missing'
  if (recipe !== undefined && recipe !== locked.recipe) return 'outdated'
  return 'ready'
}

/** Every image of ours and every image that a task had built here, with its state. */
export async function listImages(deps: ImageDeps): Promise<readonly ImageStatus[]> {
  const lock = await readLocalLock(deps.stateDir)
  const ours: readonly string[] = IMAGE_NAMES
  const names = [...ours, ...Object.keys(lock).filter((name) => !ours.includes(name))]
  const recipes = new Map<string, string>(IMAGE_NAMES.map((name) => [name, recipeOf(name)]))
  const statuses: ImageStatus[] = []
  for (const name of names) {
    const locked = lock[name]
    const reference = engineName(deps.stateDir, name)
    const namedId = await imageIdOf(deps, reference)
    const engineHasLocked = locked !== undefined && (await imageIdOf(deps, locked.imageId)) !== undefined
    const state = imageState({ recipe: recipes.get(name), locked, namedId, engineHasLocked })
    statuses.push({
      name,
      state,
      engineName: reference,
      ...(namedId === undefined ? {} : { engineId: namedId }),
      ...(locked === undefined ? {} : { locked }),
    })
  }
  return statuses
}

/** Images that the lock has and that are not exactly so in the engine. None: all is well. */
export async function verifyImages(deps: ImageDeps): Promise<readonly ImageStatus[]> {
  const statuses = await listImages(deps)
  return statuses.filter((status) => status.state !== 'ready' && status.state !== 'not-built')
}
