import { buildContext } from './build-context.ts'
import { dependencyKey, ensureDependencyLayer, type DependencyPlan } from './dependency-layer.ts'
import type { ImageDeps, PinnedImage } from './deps.ts'
import { digestOf } from '../specs/digest.ts'
import { buildImage, IMAGE_LABEL, STORE_LABEL } from './engine-images.ts'
import { ensurePinned } from './ensure-pinned.ts'
import { storeOf } from './image-names.ts'
import { readLocalLock, type InstalledPackage } from './local-lock.ts'
import { planNpm, type Manifests } from './npm-manifest.ts'
import type { PipSource } from './pip-install.ts'
import { planPython } from './python-manifest.ts'

/** The files of a tree's root that say what the product depends on. */
export const MANIFEST_NAMES = {
  npm: ['package.json', 'npm-shrinkwrap.json', 'package-lock.json'],
  python: ['requirements.txt', 'pyproject.toml'],
} as const

export interface TaskImageRequest {
  /** Image to lay the dependencies on: a product image, or the worker image. */
  readonly parent: PinnedImage
  readonly kind: keyof typeof MANIFEST_NAMES
  /** Those of {@link MANIFEST_NAMES} that base has, by name. */
  readonly manifests: Manifests
  /** Also what base is developed with; only npm's manifest tells that apart. */
  readonly dev?: boolean
  /** Where pip finds packages. */
  readonly pip?: PipSource
}

export interface TaskImageResult {
  readonly image: PinnedImage
  /** The product's dependencies that the image carries. */
  readonly installed: readonly InstalledPackage[]
}

/**
 * The image that a product runs in: `parent` and, where base's manifest has dependencies, those, at
 * `/box/node_modules` or `/box/site-packages`, from where a tree at `/box/tree` finds them. Built once and pinned.
 * Without any it is `parent` itself.
 * @throws Fault `config/dependencies` (file and field) for what cannot be pinned, `infra/dependencies` where npm or
 * pip fails, and what `ensureImage` throws.
 */
export async function ensureTaskImage(deps: ImageDeps, request: TaskImageRequest): Promise<TaskImageResult> {
  const wanted = planOf(request)
  if (wanted === undefined) return { image: request.parent, installed: [] }
  const { parent } = request
  const key = await dependencyKey(deps, wanted)
  const name = `${parent.name}-dependencies-${key}`
  const recipe = digestOf({ parent: parent.id, dependencies: key })
  const image = await ensurePinned(deps, { name, recipe }, async () => {
    const layer = await ensureDependencyLayer(deps, key, wanted, request.pip ?? {})
    const dockerfile = [
      `FROM ${parent.id}`,
      `LABEL ${STORE_LABEL}=${storeOf(deps.stateDir)} ${IMAGE_LABEL}=${name}`,
      'ADD layer.tar /',
    ]
    const files = [{ path: 'Dockerfile', bytes: Buffer.from(`${dockerfile.join('\n')}\n`) }]
    const context = buildContext(files, [{ file: layer.tar, to: 'layer.tar' }])
    const imageId = await buildImage(deps, context, { name })
    return { imageId, source: 'dependencies', installed: [...layer.installed], dependencies: key }
  })
  return { image, installed: (await readLocalLock(deps.stateDir))[name]?.installed ?? [] }
}

function planOf({ kind, manifests, dev }: TaskImageRequest): DependencyPlan | undefined {
  if (kind === 'npm') {
    const plan = planNpm(manifests, dev)
    return plan === undefined ? undefined : { kind, plan }
  }
  const plan = planPython(manifests)
  return plan === undefined ? undefined : { kind, plan }
}
