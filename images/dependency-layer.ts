import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { digestOf } from '../specs/digest.ts'
import { COMMITTED_LOCK } from './committed-lock.ts'
import type { ImageDeps } from './deps.ts'
import { engineArch } from './engine-images.ts'
import { ensureImage } from './ensure-image.ts'
import { withExclusive } from './exclusive.ts'
import { installNpm, type DependencyLayer } from './npm-install.ts'
import type { NpmPlan } from './npm-manifest.ts'
import { installPip, type PipSource } from './pip-install.ts'
import type { PythonPlan } from './python-manifest.ts'
import { recipeOf } from './recipe.ts'
import { withScratch } from './scratch.ts'

export type DependencyPlan =
  { readonly kind: 'npm'; readonly plan: NpmPlan } | { readonly kind: 'python'; readonly plan: PythonPlan }

const pinSchema = z.strictObject({
  version: z.literal(1),
  installed: z.array(z.strictObject({ name: z.string(), version: z.string() })),
  generatedLockfile: z.string().optional(),
})

/** Names a set of dependencies: what was asked for, and for which machine. */
export async function dependencyKey(deps: ImageDeps, wanted: DependencyPlan): Promise<string> {
  const platform = wanted.kind === 'npm' ? COMMITTED_LOCK.packages['npm'] : recipeOf('python')
  const digest = digestOf({ arch: await engineArch(deps), platform, kind: wanted.kind, plan: wanted.plan })
  return digest.slice('sha256:'.length, 'sha256:'.length + 12)
}

/**
 * The layer that holds a set of dependencies, installed once on this machine and kept under the state directory, so
 * that product image and worker image carry the same bytes even where base has no lockfile. Should the layer be
 * gone and its pin be there, the same versions are installed again.
 */
export async function ensureDependencyLayer(
  deps: ImageDeps,
  key: string,
  wanted: DependencyPlan,
  pip: PipSource,
): Promise<DependencyLayer> {
  const folder = join(deps.stateDir, 'dependencies', key)
  const tar = join(folder, 'layer.tar')
  return await withExclusive(join(deps.stateDir, 'locks', `dependencies-${key}`), deps.signal, async () => {
    const pin = await readPin(folder)
    if (pin !== undefined && (await isFile(tar))) return { ...pin, tar }
    return await withScratch(deps.stateDir, `dependencies-${key}`, async (scratch) => {
      const layer = await install(deps, key, wanted, pip, pin?.generatedLockfile, scratch)
      await mkdir(folder, { recursive: true })
      await rm(tar, { force: true })
      const { installed, generatedLockfile } = layer
      const made = { version: 1, installed, generatedLockfile }
      await writeFile(join(scratch, 'pin.json'), `${JSON.stringify(made, null, 2)}\n`)
      await rename(join(scratch, 'pin.json'), join(folder, 'pin.json'))
      await rename(layer.tar, tar)
      return { ...layer, tar }
    })
  })
}

async function install(
  deps: ImageDeps,
  key: string,
  wanted: DependencyPlan,
  pip: PipSource,
  pinnedLockfile: string | undefined,
  scratch: string,
): Promise<DependencyLayer> {
  if (wanted.kind === 'npm') return await installNpm(deps, wanted.plan, pinnedLockfile, scratch)
  const { id } = await ensureImage(deps, 'worker')
  return await installPip(deps, wanted.plan, pip, pinnedLockfile, { scratch, key, workerImageId: id })
}

async function readPin(folder: string): Promise<Omit<DependencyLayer, 'tar'> | undefined> {
  const text = await readFile(join(folder, 'pin.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return undefined
  const { installed, generatedLockfile } = pinSchema.parse(JSON.parse(text))
  return { installed, ...(generatedLockfile === undefined ? {} : { generatedLockfile }) }
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}
