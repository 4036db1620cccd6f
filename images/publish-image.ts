import type { ImageName } from './definitions.ts'
import type { ImageDeps, PinnedImage } from './deps.ts'
import { Fault } from '../specs/fault.ts'
import { engineCall, engineLines } from './engine-call.ts'
import { tagImage, untagImage } from './engine-images.ts'
import { ensureImage } from './ensure-image.ts'
import { readLocalLock, recordInLocalLock } from './local-lock.ts'

/**
 * Pushes one of our images to the configured registry and locks the digest that it has there, from where another
 * machine (or this one, should its engine lose the image) pulls it.
 * @returns the image, and its digest in the registry.
 * @throws Fault `config/registry` without a registry, `infra/registry` where the push fails.
 */
export async function publishImage(
  deps: ImageDeps,
  name: ImageName,
): Promise<{ readonly image: PinnedImage; readonly registryDigest: string }> {
  const { registry } = deps
  if (registry === undefined) {
    throw new Fault('config/registry', 'no registry: set ASSAY_REGISTRY to host[:port]/prefix')
  }
  const image = await ensureImage(deps, name)
  const tag = image.recipe.slice('sha256:'.length, 'sha256:'.length + 12)
  const reference = `${registry}/${name}:${tag}`
  await tagImage(deps, image.id, reference)
  try {
    const registryDigest = await push(deps, reference)
    const entry = (await readLocalLock(deps.stateDir))[name]
    if (entry !== undefined) {
      await recordInLocalLock(
        deps.stateDir,
        name,
        { ...entry, source: 'registry', registryDigest },
        deps.signal,
      )
    }
    return { image, registryDigest }
  } finally {
    await untagImage(deps, reference).catch(() => undefined)
  }
}

async function push(deps: ImageDeps, reference: string): Promise<string> {
  // The engine wants credentials to be there, be they empty.
  const options = { authconfig: {}, abortSignal: deps.signal }
  const answer = await engineCall(deps.signal, () => deps.docker.getImage(reference).push(options), Infinity)
  let digest: string | undefined
  for await (const line of engineLines(answer, deps.signal)) {
    if (line.error !== undefined) throw new Fault('infra/registry', `push of ${reference}: ${line.error}`)
    digest = line.aux?.Digest ?? digest
  }
  if (digest === undefined) throw new Fault('infra/registry', `push of ${reference}: no digest came back`)
  return digest
}
