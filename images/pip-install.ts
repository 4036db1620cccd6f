import type Docker from 'dockerode'
import { createWriteStream } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract, pack, type Pack } from 'tar-stream'
import { Fault } from '../specs/fault.ts'
import { buildContext, type ContextFile } from './build-context.ts'
import { say, type ImageDeps } from './deps.ts'
import { engineCall, isNotFound } from './engine-call.ts'
import { IMAGE_LABEL, STORE_LABEL } from './engine-images.ts'
import { storeOf } from './image-names.ts'
import type { DependencyLayer } from './npm-install.ts'
import { readPipReport, type PythonPlan } from './python-manifest.ts'
import { plainHeader } from './tar-folder.ts'

/** Where pip finds packages. */
export interface PipSource {
  /** A simple index; PyPI where absent. One on loopback is reached through the host's network. */
  readonly indexUrl?: string
  /** A folder of wheels on the host; with it and no index, pip has no network at all. */
  readonly findLinks?: string
}

const HOST_CA = '/etc/ssl/certs/ca-certificates.crt'
const UID = 20_000
const SITE = '/tmp/out/site-packages'
const REPORT = '/tmp/out/report.json'
const MEMORY_BYTES = 2 * 1024 ** 3

/**
 * Installs a product's Python dependencies, as a layer with `/box/site-packages` and a `.pth` file that puts it on
 * every interpreter's path.
 *
 * pip chooses by interpreter and platform, and building a source distribution runs its code, so it runs in a
 * container of the worker image (same Debian, same Python as the product's), without privileges, which is thrown
 * away; index, certificates and wheels are given to that container and never to an image.
 * @param workerImageId image that has pip.
 */
export async function installPip(
  deps: ImageDeps,
  plan: PythonPlan,
  source: PipSource,
  pinnedRequirements: string | undefined,
  options: { readonly scratch: string; readonly key: string; readonly workerImageId: string },
): Promise<DependencyLayer> {
  say(deps, 'dependencies: pip install')
  const labels = { [STORE_LABEL]: storeOf(deps.stateDir), [IMAGE_LABEL]: `pip-${options.key}` }
  await removeLeftContainers(deps, labels)
  const requirements = plan.locked ? plan.requirements : (pinnedRequirements ?? plan.requirements)
  const ca = await readFile(HOST_CA).catch(() => undefined)
  const container = await createPipContainer(deps, source, ca, options.workerImageId, labels)
  try {
    await runPip(deps, container, await inputTar(requirements, source, ca))
    const { installed, requirements: resolved } = readPipReport(await readReport(deps, container))
    const tar = join(options.scratch, 'layer.tar')
    await copySite(deps, container, tar)
    const generatedLockfile = plan.locked ? undefined : (pinnedRequirements ?? resolved)
    return { tar, installed, ...(generatedLockfile === undefined ? {} : { generatedLockfile }) }
  } finally {
    await container.remove({ force: true, v: true }).catch(() => undefined)
  }
}

/** Containers that a killed installation with the same key left. The caller holds the key's lock. */
async function removeLeftContainers(deps: ImageDeps, labels: Record<string, string>): Promise<void> {
  const label = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  const left = await engineCall(deps.signal, () =>
    deps.docker.listContainers({ all: true, filters: { label } }),
  )
  for (const { Id } of left) {
    await deps.docker
      .getContainer(Id)
      .remove({ force: true, v: true })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
  }
}

/** `none` without an index, the host's for an index on loopback, a bridge otherwise. */
export function pipNetwork(source: PipSource): 'none' | 'host' | 'bridge' {
  if (source.indexUrl === undefined) return source.findLinks === undefined ? 'bridge' : 'none'
  const { hostname } = new URL(source.indexUrl)
  return /^(localhost|127\.|\[::1\])/.test(hostname) ? 'host' : 'bridge'
}

async function createPipContainer(
  deps: ImageDeps,
  source: PipSource,
  ca: Buffer | undefined,
  image: string,
  labels: Record<string, string>,
): Promise<Docker.Container> {
  const args = [
    ...['pip', 'install', '--target', SITE, '--report', REPORT, '-r', '/tmp/in/requirements.txt'],
    ...['--no-cache-dir', '--no-compile', '--disable-pip-version-check', '--no-input', '--quiet'],
    ...(source.findLinks === undefined ? [] : ['--find-links', '/tmp/in/wheels']),
    ...(source.indexUrl === undefined && source.findLinks !== undefined ? ['--no-index'] : []),
  ]
  const env = ['HOME=/tmp/out']
  if (ca !== undefined) env.push('PIP_CERT=/tmp/in/ca.pem', 'SSL_CERT_FILE=/tmp/in/ca.pem')
  if (source.indexUrl !== undefined) env.push(`PIP_INDEX_URL=${source.indexUrl}`)
  return await engineCall(deps.signal, () =>
    deps.docker.createContainer({
      Image: image,
      User: `${UID}:${UID}`,
      Entrypoint: ['python3', '-m'],
      Cmd: args,
      Env: env,
      Labels: labels,
      HostConfig: {
        NetworkMode: pipNetwork(source),
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 512,
        Memory: MEMORY_BYTES,
        MemorySwap: MEMORY_BYTES,
      },
    }),
  )
}

async function inputTar(requirements: string, source: PipSource, ca: Buffer | undefined): Promise<Readable> {
  const files: ContextFile[] = [{ path: 'in/requirements.txt', bytes: Buffer.from(requirements) }]
  if (ca !== undefined) files.push({ path: 'in/ca.pem', bytes: ca })
  if (source.findLinks !== undefined) {
    const folder = source.findLinks
    const names = await readdir(folder).catch((error: unknown) => {
      throw new Fault('config/dependencies', `${folder}: the folder of wheels cannot be read`, {
        cause: error,
      })
    })
    for (const name of names.filter((item) => /\.(whl|tar\.gz|zip)$/.test(item)).sort()) {
      files.push({ path: `in/wheels/${name}`, bytes: await readFile(join(folder, name)) })
    }
  }
  return buildContext(files)
}

async function runPip(deps: ImageDeps, container: Docker.Container, input: Readable): Promise<void> {
  await engineCall(deps.signal, () => container.putArchive(input, { path: '/tmp' }), Infinity)
  const out = pack()
  out.entry({ ...plainHeader('out/'), type: 'directory', mode: 0o755, uid: UID, gid: UID })
  out.finalize()
  await engineCall(deps.signal, () => container.putArchive(Readable.from(out), { path: '/tmp' }))
  await engineCall(deps.signal, () => container.start())
  await engineCall(deps.signal, () => container.wait({ abortSignal: deps.signal }), Infinity)
  const { State } = await engineCall(deps.signal, () => container.inspect())
  if (State.ExitCode === 0) return
  const logs = await container.logs({ stdout: true, stderr: true, tail: 12 })
  throw new Fault(
    'infra/dependencies',
    `the product's Python dependencies: pip ended with ${State.ExitCode}:\n${plainText(logs)}`,
  )
}

/** The engine's log frames (8 bytes of header each) as text. */
function plainText(frames: Buffer): string {
  const texts: string[] = []
  for (let at = 0; at + 8 <= frames.length;) {
    const size = frames.readUInt32BE(at + 4)
    texts.push(frames.subarray(at + 8, at + 8 + size).toString('utf8'))
    at += 8 + size
  }
  return texts.join('').trim()
}

async function archive(deps: ImageDeps, container: Docker.Container, path: string): Promise<Readable> {
  const stream = await engineCall(deps.signal, () => container.getArchive({ path }))
  if (stream instanceof Readable) return stream
  throw new Fault('bug/engine-answer', 'the engine client gave no stream')
}

async function readReport(deps: ImageDeps, container: Docker.Container): Promise<string> {
  const entries = extract()
  const chunks: Buffer[] = []
  const read = async () => {
    for await (const entry of entries) for await (const chunk of entry) chunks.push(chunk as Buffer)
  }
  await Promise.all([pipeline(await archive(deps, container, REPORT), entries), read()])
  return Buffer.concat(chunks).toString('utf8')
}

async function copySite(deps: ImageDeps, container: Docker.Container, tar: string): Promise<void> {
  const out = pack()
  const entries = extract()
  const copy = async () => {
    const path = 'usr/lib/python3/dist-packages/assay-dependencies.pth'
    out.entry({ ...plainHeader(path), mode: 0o644 }, '/box/site-packages\n')
    await copyEntries(entries, out)
    out.finalize()
  }
  await Promise.all([
    pipeline(await archive(deps, container, SITE), entries),
    pipeline(out, createWriteStream(tar), { signal: deps.signal }),
    copy(),
  ])
}

async function copyEntries(entries: ReturnType<typeof extract>, out: Pack): Promise<void> {
  for await (const entry of entries) {
    const { type, linkname, mode, size } = entry.header
    const header = { ...plainHeader(`box/${entry.header.name}`), mode: mode & 0o777 }
    if (type === 'file') await pipeline(entry, out.entry({ ...header, type, size }))
    else {
      if (type === 'directory') out.entry({ ...header, type })
      if (type === 'symlink') out.entry({ ...header, type, linkname })
      entry.resume()
    }
  }
}
