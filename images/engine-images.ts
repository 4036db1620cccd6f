import type Docker from 'dockerode'
import type { Readable } from 'node:stream'
import { Fault } from '../specs/fault.ts'
import { say, type ImageDeps } from './deps.ts'
import { engineCall, engineLines, isConflict, isNotFound } from './engine-call.ts'

/** Label: which state directory an image was built for. */
export const STORE_LABEL = 'io.assay.store'
/** Label: what the image is, or is part of. */
export const IMAGE_LABEL = 'io.assay.image'

const TAIL_LINES = 15

/** The engine's id of whatever stands under a reference, if anything does. */
export async function imageIdOf(deps: ImageDeps, reference: string): Promise<string | undefined> {
  return (await inspectImage(deps, reference))?.Id
}

/** What the engine knows of an image, if it has it. */
export async function inspectImage(
  deps: ImageDeps,
  reference: string,
): Promise<Docker.ImageInspectInfo | undefined> {
  try {
    return await engineCall(deps.signal, () => deps.docker.getImage(reference).inspect())
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Gives an image a name; the name moves if another image had it. */
export async function tagImage(deps: ImageDeps, id: string, name: string): Promise<void> {
  const { repository, tag } = splitName(name)
  await engineCall(deps.signal, () => deps.docker.getImage(id).tag({ repo: repository, tag }))
}

/** Takes a name from an image that has another one, so that the image itself stays. */
export async function untagImage(deps: ImageDeps, name: string): Promise<void> {
  await engineCall(deps.signal, () => deps.docker.getImage(name).remove({ noprune: true }))
}

/** The last colon after the last slash separates the tag; a registry's port does not. */
export function splitName(name: string): { readonly repository: string; readonly tag: string } {
  const colon = name.lastIndexOf(':')
  if (colon <= name.lastIndexOf('/')) return { repository: name, tag: 'latest' }
  return { repository: name.slice(0, colon), tag: name.slice(colon + 1) }
}

/** The engine's architecture in Node's words. */
export async function engineArch(deps: ImageDeps): Promise<string> {
  const { Arch } = await engineCall(deps.signal, () => deps.docker.version())
  if (Arch === 'amd64') return 'x64'
  if (Arch === 'arm64') return 'arm64'
  throw new Fault('config/architecture', `the engine runs on ${Arch}; images are defined for amd64 and arm64`)
}

export interface BuildOptions {
  /** Whose images these are, for messages. */
  readonly name: string
  /** No layer of an earlier build is used. */
  readonly fresh?: boolean
  readonly networkMode?: string
  readonly buildArgs?: Readonly<Record<string, string>>
}

/**
 * Builds an image from a context. It gets no name: an unfinished image must not have one.
 * @returns the image's id.
 * @throws Fault `infra/image-build` with the end of the build's output.
 */
export async function buildImage(deps: ImageDeps, context: Readable, options: BuildOptions): Promise<string> {
  const answer = await engineCall(
    deps.signal,
    () =>
      deps.docker.buildImage(context, {
        rm: true,
        forcerm: true,
        nocache: options.fresh ?? false,
        abortSignal: deps.signal,
        ...(options.networkMode === undefined ? {} : { networkmode: options.networkMode }),
        ...(options.buildArgs === undefined ? {} : { buildargs: { ...options.buildArgs } }),
      }),
    Infinity,
  ).catch((error: unknown) => {
    const isOfBuild = !(error instanceof Fault) || error.code === 'infra/engine'
    if (!isOfBuild || deps.signal.aborted) throw error
    throw new Fault('infra/image-build', `image ${options.name}: ${messageOf(error)}`, { cause: error })
  })
  const output: string[] = []
  let id: string | undefined
  for await (const line of engineLines(answer, deps.signal)) {
    if (line.error !== undefined) {
      const tail = output.join('').trimEnd().split('\n').slice(-TAIL_LINES).join('\n')
      throw new Fault('infra/image-build', `image ${options.name}: ${line.error.trim()}\n${tail}`)
    }
    if (line.stream !== undefined) {
      output.push(line.stream)
      const step = /^Step (\d+\/\d+) : (.*)/.exec(line.stream)
      if (step?.[1] !== undefined) say(deps, `${options.name}: step ${step[1]} ${shorten(step[2] ?? '')}`)
    }
    id = line.aux?.ID ?? id
  }
  if (id === undefined)
    throw new Fault('infra/image-build', `image ${options.name}: the engine gave no image id`)
  return id
}

/** Makes an image of one layer from a root file system; it gets no name. */
export async function importImage(deps: ImageDeps, tar: Readable, labels: Labels): Promise<string> {
  const changes = Object.entries(labels).map(([key, value]) => `LABEL ${key}=${value}`)
  const answer = await engineCall(
    deps.signal,
    () => deps.docker.importImage(tar, { abortSignal: deps.signal, changes }),
    Infinity,
  )
  let id: string | undefined
  for await (const line of engineLines(answer, deps.signal)) {
    if (line.error !== undefined) throw new Fault('infra/image-build', `import: ${line.error}`)
    if (line.status?.startsWith('sha256:') === true) id = line.status
  }
  if (id === undefined) throw new Fault('infra/image-build', 'import: the engine gave no image id')
  return id
}

/**
 * Pulls an image.
 * @returns its id, or undefined where no registry answers or the registry does not have it.
 */
export async function pullImage(deps: ImageDeps, reference: string): Promise<string | undefined> {
  try {
    const answer = await deps.docker.createImage({ fromImage: reference, abortSignal: deps.signal })
    for await (const line of engineLines(answer, deps.signal)) {
      if (line.error !== undefined) return undefined
    }
  } catch (error) {
    deps.signal.throwIfAborted()
    // The engine's own "no such host", "connection refused" or "manifest unknown": there is nothing to pull.
    if ((error as { statusCode?: number }).statusCode !== undefined) return undefined
    throw error
  }
  return await imageIdOf(deps, reference)
}

type Labels = Readonly<Record<string, string>>

/**
 * Removes what an interrupted build of this image left: nameless images with our labels. Call it under the build
 * lock of `name` only. What is in use, or has children, stays.
 * @param keep the image in the lock, which may have lost its name to another.
 */
export async function removeUnfinished(
  deps: ImageDeps,
  store: string,
  name: string,
  keep: string | undefined,
): Promise<void> {
  const filters = { dangling: ['true'], label: [`${STORE_LABEL}=${store}`, `${IMAGE_LABEL}=${name}`] }
  const images = await engineCall(deps.signal, () => deps.docker.listImages({ filters }))
  for (const image of images) {
    if (image.Id === keep) continue
    await engineCall(deps.signal, () => deps.docker.getImage(image.Id).remove()).catch((error: unknown) => {
      if (!isConflict(error) && !isNotFound(error)) throw error
    })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function shorten(text: string): string {
  return text.length <= 70 ? text : `${text.slice(0, 69)}…`
}
