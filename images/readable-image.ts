import { digestOf } from '../specs/digest.ts'
import { buildContext } from './build-context.ts'
import type { ImageDeps, PinnedImage } from './deps.ts'
import { buildImage, IMAGE_LABEL, STORE_LABEL } from './engine-images.ts'
import { ensurePinned } from './ensure-pinned.ts'
import { storeOf } from './image-names.ts'
import type { LocalLockEntry } from './local-lock.ts'

/** Whatever everybody may execute, everybody may read. */
const MAKE_READABLE = 'RUN find / -xdev -type f -perm -0111 ! -perm -0444 -exec chmod a+r {} +'

/**
 * The same image, named `…-readable`, with runtimes that can be read: for a kernel that executes nothing else. Built once
 * for each image, on top of it, so that whatever is laid on our images stays one definition.
 * @param origin where the image came from, as the lock has it.
 */
export async function ensureReadable(
  deps: ImageDeps,
  image: PinnedImage,
  origin: Pick<LocalLockEntry, 'source' | 'registryDigest'>,
): Promise<PinnedImage> {
  const name = `${image.name}-readable`
  const recipe = digestOf({ parent: image.id, instruction: MAKE_READABLE })
  return await ensurePinned(deps, { name, recipe }, async () => {
    const dockerfile = [
      `FROM ${image.id}`,
      `LABEL ${STORE_LABEL}=${storeOf(deps.stateDir)} ${IMAGE_LABEL}=${name}`,
      MAKE_READABLE,
    ]
    const bytes = Buffer.from(`${dockerfile.join('\n')}\n`)
    const imageId = await buildImage(deps, buildContext([{ path: 'Dockerfile', bytes }]), { name })
    const { source, registryDigest } = origin
    return { imageId, source, ...(registryDigest === undefined ? {} : { registryDigest }) }
  })
}
