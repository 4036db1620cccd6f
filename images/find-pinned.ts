import type { ImageDeps, PinnedImage } from './deps.ts'
import { imageIdOf } from './engine-images.ts'
import { readLocalLock } from './local-lock.ts'
import type { TaskImageResult } from './task-image.ts'

/**
 * The image that a run recorded, if the engine still has just that one: then a run goes on without a registry and
 * without the folder of its task.
 * @returns undefined when it is gone, or when what was installed in it is known no longer; it is then to be made as at
 * the beginning, and compared.
 */
export async function findPinned(deps: ImageDeps, pin: PinnedImage): Promise<TaskImageResult | undefined> {
  const entry = (await readLocalLock(deps.stateDir))[pin.name]
  // An image by digest has no entry: nobody installs anything into it.
  const isKnown = entry === undefined ? pin.name.startsWith('reference-') : entry.imageId === pin.id
  if (!isKnown || (await imageIdOf(deps, pin.id)) !== pin.id) return undefined
  return { image: pin, installed: entry?.installed ?? [] }
}
