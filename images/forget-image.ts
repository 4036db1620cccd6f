import { join } from 'node:path'
import type { ImageDeps } from './deps.ts'
import { imageIdOf, tagImage, untagImage } from './engine-images.ts'
import { withExclusive } from './exclusive.ts'
import { asideName, engineName } from './image-names.ts'
import { removeFromLocalLock } from './local-lock.ts'
import { fileName } from './scratch.ts'

/**
 * Takes an image out of the lock, and its name from whatever has it in the engine, so that it is built anew when it is
 * wanted. No image is removed: what had the name gets another.
 */
export async function forgetImage(deps: ImageDeps, name: string): Promise<void> {
  const lockFile = join(deps.stateDir, 'locks', `image-${fileName(name)}`)
  await withExclusive(lockFile, deps.signal, async () => {
    await removeFromLocalLock(deps.stateDir, name, deps.signal)
    const current = engineName(deps.stateDir, name)
    const id = await imageIdOf(deps, current)
    if (id === undefined) return
    await tagImage(deps, id, asideName(current, id))
    await untagImage(deps, current)
  })
}
