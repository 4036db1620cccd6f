import { ensureImage } from '../../images/ensure-image.ts'
import type { PinnedImage } from '../../images/deps.ts'
import { findPinned } from '../../images/find-pinned.ts'
import { resolveTaskImage } from '../../images/resolve-image.ts'
import { ensureTaskImage, MANIFEST_NAMES } from '../../images/task-image.ts'
import type { TreeId } from '../../specs/digest.ts'
import { resolveBase } from '../trees/base/resolve-base.ts'
import type { Workshop } from '../workshop.ts'
import type { LoadedTask } from './load-task.ts'
import { requireTaskOutsideBase } from './task-outside-base.ts'

/** A task whose base is in the store and whose images are pinned. */
export interface PreparedTask {
  readonly loaded: LoadedTask
  readonly base: TreeId
  /** What the base's source meant: a commit id, an integrity hash. */
  readonly resolved: Readonly<Record<string, string>>
  readonly product: PinnedImage
  readonly judge: PinnedImage
  /** The product's dependencies that the image has. */
  readonly installed: readonly { readonly name: string; readonly version: string }[]
}

/** What is known already, from the record of a run or a fixture. */
export interface KnownParts {
  /** A base that is in the store. */
  readonly tree?: Pick<PreparedTask, 'base' | 'resolved'>
  /** Images to take where the engine has just these. */
  readonly images?: { readonly product: PinnedImage; readonly judge: PinnedImage }
}

/**
 * Fetches the base and pins the images, building what is missing.
 * @throws Fault `config/…` for what the task says wrong, `infra/…` for engine, registry and disk.
 */
export async function prepareTask(
  loaded: LoadedTask,
  workshop: Workshop,
  note: (line: string) => void,
  signal: AbortSignal,
  known: KnownParts = {},
): Promise<PreparedTask> {
  const { task, directory } = loaded
  const images = workshop.images(note, signal)
  const judge = known.images === undefined ? undefined : (await findPinned(images, known.images.judge))?.image
  const product = known.images === undefined ? undefined : await findPinned(images, known.images.product)
  if (known.tree !== undefined && product !== undefined) {
    const { image, installed } = product
    return { loaded, ...known.tree, product: image, judge: judge ?? (await judgeImage()), installed }
  }
  const plain = await resolveTaskImage(images, task.image, directory)
  const { base, resolved } = known.tree ?? (await bringBase(loaded, workshop, plain.id, signal))
  const { image, installed } =
    product ?? (await withDependencies(loaded, workshop, base, plain, note, signal))
  return { loaded, base, resolved, product: image, judge: judge ?? (await judgeImage()), installed }

  function judgeImage() {
    return ensureImage(images, 'judge')
  }
}

async function bringBase(loaded: LoadedTask, workshop: Workshop, imageId: string, signal: AbortSignal) {
  const { task, directory } = loaded
  const { tree, resolved } = await resolveBase(
    task.base,
    {
      taskDirectory: directory,
      store: workshop.store,
      cacheDirectory: workshop.state.cache,
      readImage: (path, end) => workshop.sandbox.readImage(imageId, path, end),
    },
    signal,
  )
  await requireTaskOutsideBase(loaded, tree, workshop.store, signal)
  return { base: tree, resolved: { ...resolved } }
}

/** The image for workers and oracles, with the product's dependencies, so that its own tests can run. */
export async function workerImage(
  prepared: PreparedTask,
  workshop: Workshop,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<PinnedImage> {
  const { loaded, base } = prepared
  // A task's own image is the worker's too: nobody else knows what the project needs.
  if (typeof loaded.task.image !== 'string') return prepared.product
  const plain = await ensureImage(workshop.images(note, signal), 'worker')
  return (await withDependencies(loaded, workshop, base, plain, note, signal)).image
}

async function withDependencies(
  { task }: LoadedTask,
  workshop: Workshop,
  base: TreeId,
  parent: PinnedImage,
  note: (line: string) => void,
  signal: AbortSignal,
) {
  const kind = task.image === 'node' ? 'npm' : task.image === 'python' ? 'python' : undefined
  if (kind === undefined || task.dependencies === 'none') return { image: parent, installed: [] }
  const manifests: Record<string, Uint8Array> = {}
  for (const name of MANIFEST_NAMES[kind]) {
    const bytes = await workshop.store.readFile(base, name, signal)
    if (bytes !== undefined) manifests[name] = bytes
  }
  const dev = task.dependencies === 'install-dev'
  return ensureTaskImage(workshop.images(note, signal), { parent, kind, manifests, dev })
}
