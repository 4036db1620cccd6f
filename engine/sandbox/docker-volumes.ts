import type Dockerode from 'dockerode'
import { randomBytes } from 'node:crypto'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BoxKind, BoxSpec, Owner, VolumeSpec } from '../../specs/sandbox.ts'
import { Fault } from '../../specs/fault.ts'
import { LOADER_MOUNT, loaderCreateOptions } from '../pure/sandbox/container-options.ts'
import { engineStatus, isAlreadyGone } from '../pure/sandbox/engine-fault.ts'
import { LABEL, labelsOf } from '../pure/sandbox/labels.ts'
import type { WatchedVolume } from './disk-watch.ts'
import { createContainer } from './create-container.ts'
import { readArchive } from './docker-archive.ts'
import { engineCall, interrupted, throwIfAborted } from './engine-call.ts'
import { mergeLayers } from './merge-layers.ts'
import { removeContainer } from './remove-container.ts'

/** Laying a tree of many files may take longer than a call usually does. */
const LAY_TIMEOUT_MS = 600_000

/** Makes a volume and lays the tars into it; nothing is left when that fails or is aborted. */
export async function createVolume(
  docker: Dockerode,
  owner: Owner,
  spec: VolumeSpec,
  signal: AbortSignal,
): Promise<string> {
  throwIfAborted(signal)
  const name = `assay-${spec.kind}-${randomBytes(12).toString('hex')}`
  const Labels = labelsOf(owner, spec.runId, spec.kind)
  await engineCall('volume.create', () => docker.createVolume({ Name: name, Labels }))
  try {
    throwIfAborted(signal)
    if (spec.layers.length > 0) await layTars(docker, owner, spec, name, signal)
    return name
  } catch (error) {
    await removeVolume(docker, name).catch(() => undefined)
    throw error
  } finally {
    for (const { tar } of spec.layers) tar.destroy()
  }
}

async function layTars(
  docker: Dockerode,
  owner: Owner,
  spec: VolumeSpec,
  volume: string,
  signal: AbortSignal,
): Promise<void> {
  const loader = await createContainer(docker, spec.kind, loaderCreateOptions(spec, owner, volume))
  try {
    throwIfAborted(signal)
    const merged = mergeLayers(LOADER_MOUNT, spec.layers)
    let broken: unknown
    merged.on('error', (error) => (broken = error))
    // A root that every path is inside of: the engine refuses links that point out of the folder it unpacks into.
    const laid = engineCall(
      'container.putArchive',
      (abortSignal) => loader.putArchive(asPlainStream(merged), { path: '/', abortSignal }),
      {
        signal,
        timeoutMs: LAY_TIMEOUT_MS,
      },
    )
    await laid.catch((error: unknown) => {
      merged.destroy()
      throw broken instanceof Fault && !signal.aborted ? broken : error
    })
  } finally {
    await removeContainer(loader)
  }
}

/** The client pipes what it is given and listens to its errors: a Node stream, not tar-stream's own kind. */
function asPlainStream(stream: Readable): Readable {
  const plain = new PassThrough()
  pipeline(stream, plain).catch(() => undefined)
  return plain
}

/** A volume that is gone already is fine. */
export async function removeVolume(docker: Dockerode, name: string): Promise<void> {
  try {
    await engineCall('volume.remove', (abortSignal) => docker.getVolume(name).remove({ abortSignal }))
  } catch (error) {
    if (error instanceof Fault && isAlreadyGone(error.cause)) return
    throw error
  }
}

/**
 * The volumes that a box is to mount. Boxes of different kinds never share one (D15), and a name that the engine does not
 * know must not become a new, unlabelled volume.
 */
export async function resolveMounts(
  docker: Dockerode,
  spec: BoxSpec,
  signal: AbortSignal,
): Promise<WatchedVolume[]> {
  const volumes = await Promise.all(
    spec.mounts.map((mount) => inspectVolume(docker, mount.volume, spec.kind, signal)),
  )
  return volumes.filter((_, index) => spec.mounts[index]?.readOnly === false)
}

async function inspectVolume(
  docker: Dockerode,
  name: string,
  kind: BoxKind,
  signal: AbortSignal,
): Promise<WatchedVolume> {
  const volume = await engineCall(
    'volume.inspect',
    (abortSignal) => docker.getVolume(name).inspect({ abortSignal }),
    {
      signal,
    },
  ).catch((error: unknown) => {
    if (engineStatus(error) === 404)
      throw new Fault('infra/volume-lost', `volume ${name} is gone`, { cause: error })
    throw error
  })
  const labels = (volume.Labels as Record<string, string> | null) ?? {}
  if (labels[LABEL.kind] !== kind) {
    throw new Fault(
      'bug/volume-kind',
      `volume ${name} was made for a ${labels[LABEL.kind] ?? 'foreign'} box, not for a ${kind} box`,
    )
  }
  return { name, mountpoint: volume.Mountpoint }
}

/** A path of an image, through a container that is never started and goes when the stream is over. */
export async function readImage(
  docker: Dockerode,
  owner: Owner,
  imageId: string,
  path: string,
  signal: AbortSignal,
): Promise<Readable> {
  throwIfAborted(signal)
  const options = loaderCreateOptions({ imageId, kind: 'worker', runId: 'image' }, owner)
  const holder = await createContainer(docker, 'worker', options)
  try {
    if (signal.aborted) throw interrupted(signal)
    const stream = await readArchive(holder, path, signal)
    // The reader sees the end only when the container is gone, and the container's failure to go as an error.
    const out = new PassThrough({ flush: (done) => void removeContainer(holder).then(() => done(), done) })
    pipeline(stream, out).catch(() => removeContainer(holder).catch(() => undefined))
    return out
  } catch (error) {
    await removeContainer(holder)
    throw error
  }
}
