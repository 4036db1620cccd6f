import { lstat, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf, digestOfBytes } from '../specs/digest.ts'
import { Fault } from '../specs/fault.ts'
import type { TaskImage } from '../specs/task.ts'
import { buildContext, type ContextFile } from './build-context.ts'
import { IMAGE_NAMES, type ImageName } from './definitions.ts'
import { say, type ImageDeps, type PinnedImage } from './deps.ts'
import { buildImage, imageIdOf, pullImage } from './engine-images.ts'
import { ensureImage } from './ensure-image.ts'
import { ensurePinned } from './ensure-pinned.ts'

const CONTEXT_BYTES_MAX = 256 * 1024 ** 2

/**
 * The image that a task names, pinned: one of ours, one by digest, or one built once from a folder of the task.
 *
 * A task's Dockerfile may start from one of our images: `ARG ASSAY_NODE`, then `FROM ${ASSAY_NODE}` (also BASE,
 * PYTHON, GO, WORKER). Its folder is taken whole; `.dockerignore` is not read.
 * @param taskDir the folder that a Dockerfile's path is relative to.
 * @throws Fault `config/image-unknown` for a digest that the engine neither has nor can pull or a folder without a
 * Dockerfile, and what `ensureImage` throws.
 */
export async function resolveTaskImage(
  deps: ImageDeps,
  image: TaskImage,
  taskDir: string,
): Promise<PinnedImage> {
  if (typeof image === 'string') return await ensureImage(deps, image)
  if ('reference' in image) return await resolveReference(deps, image.reference)
  return await buildFolder(deps, join(taskDir, image.dockerfile))
}

async function resolveReference(deps: ImageDeps, reference: string): Promise<PinnedImage> {
  if (!/@sha256:[0-9a-f]{64}$/.test(reference)) {
    throw new Fault('config/image-unknown', `image ${reference}: expected a digest, name@sha256:…`)
  }
  let id = await imageIdOf(deps, reference)
  if (id === undefined) {
    say(deps, `pulling ${reference}`)
    id = await pullImage(deps, reference)
  }
  if (id === undefined) {
    throw new Fault(
      'config/image-unknown',
      `image ${reference}: the engine does not have it and cannot pull it`,
    )
  }
  const digest = reference.slice(reference.indexOf('@') + 1)
  return { name: `reference-${short(digest)}`, id, recipe: digest }
}

async function buildFolder(deps: ImageDeps, folder: string): Promise<PinnedImage> {
  const files = await readContext(folder)
  const dockerfile = files.find((file) => file.path === 'Dockerfile')
  if (dockerfile === undefined) throw new Fault('config/image-unknown', `${folder}: there is no Dockerfile`)
  const parents: (readonly [name: ImageName, id: string])[] = []
  for (const name of ownParents(Buffer.from(dockerfile.bytes).toString('utf8'))) {
    parents.push([name, (await ensureImage(deps, name)).id])
  }
  const recipe = digestOf({
    files: files.map(({ path, mode, bytes }) => ({ path, mode, digest: digestOfBytes(bytes) })),
    parents: parents.map(([, id]) => id),
  })
  const name = `dockerfile-${short(recipe)}`
  const buildArgs = Object.fromEntries(parents.map(([parent, id]) => [argumentOf(parent), id]))
  return await ensurePinned(deps, { name, recipe }, async () => {
    const imageId = await buildImage(deps, buildContext(files), { name, buildArgs })
    return { imageId, source: 'dockerfile' }
  })
}

const argumentOf = (name: string) => `ASSAY_${name.toUpperCase()}`

/** Those of our images that a Dockerfile declares as arguments. */
export function ownParents(dockerfile: string): readonly ImageName[] {
  const declared = [...dockerfile.matchAll(/^\s*ARG\s+(\w+)\s*$/gim)].map((match) => match[1])
  return IMAGE_NAMES.filter((name) => declared.includes(argumentOf(name)))
}

async function readContext(folder: string): Promise<readonly ContextFile[]> {
  const files: ContextFile[] = []
  let bytesLeft = CONTEXT_BYTES_MAX
  const visit = async (path: string) => {
    const names = await readdir(join(folder, path)).catch((error: unknown) => {
      throw new Fault('config/image-unknown', `${join(folder, path)}: cannot be read`, { cause: error })
    })
    for (const name of names.sort()) {
      const inner = path === '' ? name : `${path}/${name}`
      const stat = await lstat(join(folder, inner))
      if (stat.isDirectory()) await visit(inner)
      else if (stat.isFile()) {
        bytesLeft -= stat.size
        if (bytesLeft < 0) throw new Fault('config/image-unknown', `${folder}: more than 256 MiB`)
        const mode = (stat.mode & 0o111) === 0 ? 0o644 : 0o755
        files.push({ path: inner, mode, bytes: await readFile(join(folder, inner)) })
      } else {
        throw new Fault('config/image-unknown', `${join(folder, inner)}: expected a file or a folder`)
      }
    }
  }
  await visit('')
  return files
}

function short(digest: string): string {
  return digest.slice('sha256:'.length, 'sha256:'.length + 12)
}
