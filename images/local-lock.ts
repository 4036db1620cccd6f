import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { digestSchema } from '../specs/digest.ts'
import { Fault } from '../specs/fault.ts'
import { withExclusive } from './exclusive.ts'

const installedSchema = z.strictObject({ name: z.string(), version: z.string() })
/** A package that an image carries as a dependency of the product. */
export type InstalledPackage = z.infer<typeof installedSchema>

const entrySchema = z.strictObject({
  /** Digest of what the image was built from. */
  recipe: digestSchema,
  /** The engine's id of the image. */
  imageId: digestSchema,
  builtAt: z.iso.datetime(),
  /**
   * Where its Debian came from; `dockerfile` for a task's own, `dependencies` for one of
   * ours (or of a task's) with a product's dependencies laid on.
   */
  source: z.enum(['debian-packages', 'pulled-base', 'registry', 'dockerfile', 'dependencies']),
  /** Digest under which a registry holds the image, or held its Debian base. */
  registryDigest: digestSchema.optional(),
  /** Dependencies of the product that were installed into the image. */
  installed: z.array(installedSchema).optional(),
  /** Key of their layer, below `dependencies/` in the state directory. */
  dependencies: z.string().optional(),
})
export type LocalLockEntry = z.infer<typeof entrySchema>

const localLockSchema = z.strictObject({
  version: z.literal(1),
  images: z.record(z.string(), entrySchema),
})
type LocalLock = z.infer<typeof localLockSchema>

const pathOf = (stateDir: string) => join(stateDir, 'images.lock.json')

async function read(stateDir: string): Promise<LocalLock> {
  const path = pathOf(stateDir)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Fault('config/image-lock', `${path}: cannot be read`, { cause: error })
  })
  if (text === undefined) return { version: 1, images: {} }
  try {
    return localLockSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new Fault(
      'config/image-lock',
      `${path}: not an image lock of version 1; delete it to build the images anew`,
      {
        cause: error,
      },
    )
  }
}

/** The machine's lock: what stands behind each image name here. */
export async function readLocalLock(stateDir: string): Promise<Readonly<Record<string, LocalLockEntry>>> {
  return (await read(stateDir)).images
}

/** Writes one entry; whole or not at all, and beside other processes. */
export async function recordInLocalLock(
  stateDir: string,
  name: string,
  entry: LocalLockEntry,
  signal: AbortSignal,
): Promise<void> {
  await change(stateDir, signal, (images) => ({ ...images, [name]: entrySchema.parse(entry) }))
}

/** Takes one entry out; whole or not at all, and beside other processes. */
export async function removeFromLocalLock(
  stateDir: string,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  await change(stateDir, signal, (images) =>
    Object.fromEntries(Object.entries(images).filter(([one]) => one !== name)),
  )
}

async function change(
  stateDir: string,
  signal: AbortSignal,
  to: (images: LocalLock['images']) => LocalLock['images'],
): Promise<void> {
  await withExclusive(join(stateDir, 'locks', 'images-lock'), signal, async () => {
    const { images } = await read(stateDir)
    const lock: LocalLock = { version: 1, images: to(images) }
    await mkdir(stateDir, { recursive: true })
    const path = pathOf(stateDir)
    await writeFile(`${path}.new`, `${JSON.stringify(lock, null, 2)}\n`, { flush: true })
    await rename(`${path}.new`, path)
  })
}
