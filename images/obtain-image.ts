import { createReadStream } from 'node:fs'
import { COMMITTED_LOCK } from './committed-lock.ts'
import { buildContext, type ContextPart } from './build-context.ts'
import { makeDebianRoot } from './debian-root.ts'
import { packageNameFor, type ImageDefinition } from './definitions.ts'
import { say, type ImageDeps } from './deps.ts'
import {
  buildImage,
  engineArch,
  IMAGE_LABEL,
  importImage,
  inspectImage,
  pullImage,
  STORE_LABEL,
} from './engine-images.ts'
import { Fault } from '../specs/fault.ts'
import type { Obtained } from './ensure-pinned.ts'
import { fetchNpmPackage } from './npm-package.ts'

/** Gets the image by its digest from the configured registry, if that has it. */
export async function pullPinned(
  deps: ImageDeps,
  name: string,
  digest: string | undefined,
): Promise<Obtained | undefined> {
  if (deps.registry === undefined || digest === undefined) return undefined
  const reference = `${deps.registry}/${name}@${digest}`
  say(deps, `${name}: pulling ${reference}`)
  const imageId = await pullImage(deps, reference)
  if (imageId === undefined) {
    say(deps, `${name}: the registry does not answer or does not have it; building it here`)
    return undefined
  }
  return { imageId, source: 'registry', registryDigest: digest }
}

/** Builds an image from its parent. */
export async function buildDefined(
  deps: ImageDeps,
  definition: ImageDefinition,
  parent: Obtained,
  store: string,
  scratch: string,
  fresh: boolean,
): Promise<Obtained> {
  const parts = await fetchParts(deps, definition, scratch)
  const dockerfile = [
    `FROM ${parent.imageId}`,
    `LABEL ${STORE_LABEL}=${store} ${IMAGE_LABEL}=${definition.name}`,
    ...definition.instructions,
  ].join('\n')
  const texts = { Dockerfile: `${dockerfile}\n`, ...definition.sources }
  const context = buildContext(
    Object.entries(texts).map(([path, text]) => ({ path, bytes: Buffer.from(text) })),
    parts,
  )
  const imageId = await buildImage(deps, context, { name: definition.name, fresh })
  const { source, registryDigest } = parent
  return { imageId, source, ...(registryDigest === undefined ? {} : { registryDigest }) }
}

async function fetchParts(
  deps: ImageDeps,
  definition: ImageDefinition,
  scratch: string,
): Promise<readonly ContextPart[]> {
  if (definition.files.length === 0) return []
  const arch = await engineArch(deps)
  const parts: ContextPart[] = []
  for (const file of definition.files) {
    const name = packageNameFor(file, arch)
    const locked = COMMITTED_LOCK.packages[name.locked]
    if (locked === undefined)
      throw new Fault('config/image-lock', `images/lock.json: no package ${name.locked}`)
    say(deps, `${definition.name}: fetching ${name.registry} ${locked.version}`)
    const { from, to, mode } = file
    const tarball = await fetchNpmPackage(name.registry, locked, scratch, deps.signal)
    parts.push({ tarball, from, to, ...(mode === undefined ? {} : { mode }) })
  }
  return parts
}

/** Plain Debian: pulled where a registry answers, taken if it is there already, made from packages otherwise. */
export async function obtainDebian(deps: ImageDeps, store: string, scratch: string): Promise<Obtained> {
  const { image, suite } = COMMITTED_LOCK.debian
  say(deps, `base: looking for ${image}`)
  await pullImage(deps, image)
  const present = await inspectImage(deps, image)
  const pinned = present?.RepoDigests.find((reference) => reference.includes('@sha256:'))
  if (present !== undefined && pinned !== undefined) {
    const registryDigest = pinned.slice(pinned.indexOf('@') + 1)
    return { imageId: present.Id, source: 'pulled-base', registryDigest }
  }
  const tar = await makeDebianRoot(deps, suite, await engineArch(deps), scratch)
  const labels = { [STORE_LABEL]: store, [IMAGE_LABEL]: 'base' }
  return { imageId: await importImage(deps, createReadStream(tar), labels), source: 'debian-packages' }
}
