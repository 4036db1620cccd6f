import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../../../specs/fault.ts'
import type { TreeId } from '../../../specs/digest.ts'
import type { BaseSource } from '../../../specs/task.ts'
import type { TreeCaps } from '../../pure/tree-caps.ts'
import type { GitTreeStore } from '../git-tree-store.ts'
import { KnownTrees } from '../known-trees.ts'
import { baseFault } from './base-fault.ts'
import { integrityOf, requireIntegrity } from './integrity.ts'
import { treeFromArchive } from './tar-base.ts'

export type PackageSource = Extract<BaseSource, { from: 'npm' }>

/** What npm says when a package or a version of it is not there; anything else is the registry's or network's. */
const NOT_THERE = new Set(['E404', 'ETARGET', 'ENOVERSIONS', 'EINVALIDPACKAGENAME', 'EUNSUPPORTEDPROTOCOL'])

/**
 * The tree of a published package: its tarball without the folder it is packed in, fetched by the npm client from
 * the registry that is configured for it, once. Nothing of the package runs.
 * @throws Fault `config/base` (no such package or version), `config/integrity`, `infra/registry`.
 */
export async function treeFromPackage(
  source: PackageSource,
  context: { readonly store: GitTreeStore; readonly cacheDirectory: string; readonly caps: TreeCaps },
  signal: AbortSignal,
): Promise<TreeId> {
  const known = new KnownTrees(join(context.cacheDirectory, 'trees'), context.store)
  const { tree } = await known.remember(
    ['npm', source.integrity, JSON.stringify(context.caps)],
    async () => ({
      tree: await unpack(source, context, signal),
    }),
  )
  return tree
}

async function unpack(
  source: PackageSource,
  context: { readonly store: GitTreeStore; readonly cacheDirectory: string; readonly caps: TreeCaps },
  signal: AbortSignal,
): Promise<TreeId> {
  const cache = join(context.cacheDirectory, 'npm')
  await mkdir(cache, { recursive: true })
  const kept = join(cache, `${createHash('sha256').update(source.integrity).digest('hex')}.tgz`)
  if (!(await isIntact(kept, source.integrity))) await fetchPackage(source, cache, kept, signal)
  const archive = { path: kept, integrity: source.integrity, strip: 1 }
  const { store, caps } = context
  return (await treeFromArchive(archive, { store, caps, field: 'package' }, signal)).tree
}

async function isIntact(path: string, integrity: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true && (await integrityOf(createReadStream(path), integrity)) === integrity
}

/** Puts the tarball in its place in one step, and only when it is what was asked for. */
async function fetchPackage(
  source: PackageSource,
  cache: string,
  kept: string,
  signal: AbortSignal,
): Promise<void> {
  const name = `${source.package}@${source.version}`
  const folder = await mkdtemp(join(cache, 'fetch-'))
  try {
    await npmPack(name, folder, signal)
    const [tarball] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
    if (tarball === undefined) throw new Fault('infra/registry', `npm pack ${name}: no tarball came`)
    const path = join(folder, tarball)
    requireIntegrity(name, source.integrity, await integrityOf(createReadStream(path), source.integrity))
    await rename(path, kept)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function npmPack(name: string, folder: string, signal: AbortSignal): Promise<void> {
  const argv = [
    'pack',
    name,
    '--json',
    '--ignore-scripts',
    '--loglevel=error',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    `--pack-destination=${folder}`,
  ]
  // The npm client finds its registry in the user's configuration, so it gets the user's environment.
  const { error, stdout, stderr } = await new Promise<{
    error: Error | null
    stdout: string
    stderr: string
  }>((resolve) => {
    execFile('npm', argv, { cwd: folder, signal, maxBuffer: 2 ** 24 }, (failure, out, err) =>
      resolve({ error: failure, stdout: out, stderr: err }),
    )
  })
  if (error === null) return
  signal.throwIfAborted()
  const { code, summary } = npmError(stdout)
  const why = `${code}: ${summary === '' ? stderr.trim().slice(0, 500) : summary}`
  if (NOT_THERE.has(code)) throw baseFault('package', `expected a published package ${name}: ${why}`, error)
  throw new Fault('infra/registry', `npm pack ${name}: ${why}`, { cause: error })
}

/** With --json npm writes `{"error":{"code":…,"summary":…}}` to stdout. */
function npmError(stdout: string): { readonly code: string; readonly summary: string } {
  try {
    const parsed = JSON.parse(stdout) as { error?: { code?: unknown; summary?: unknown } }
    const text = (value: unknown): string => (typeof value === 'string' ? value : '')
    return {
      code: text(parsed.error?.code) || 'unknown',
      summary: text(parsed.error?.summary).split('\n')[0] ?? '',
    }
  } catch {
    return { code: 'unknown', summary: '' }
  }
}
