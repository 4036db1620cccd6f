import { writeFile, mkdir } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TreeId } from '../../../specs/digest.ts'
import { Fault } from '../../../specs/fault.ts'
import type { BaseSource } from '../../../specs/task.ts'
import { adoptTree } from '../adopt-tree.ts'
import type { GitTreeStore } from '../git-tree-store.ts'
import { git, runGit, type GitOptions } from '../git.ts'
import { withScratch } from '../scratch.ts'
import { baseFault } from './base-fault.ts'

export type RepositorySource = Extract<BaseSource, { from: 'git' }>

/** What a fetch may need of the user's environment: a way through a proxy, certificates, the user's ssh agent. */
const PASSED_ON = [
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'HTTPS_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'SSH_AUTH_SOCK',
]

/**
 * The tree of a revision of a git repository. The history comes into a repository that lives only for this; the
 * store gets the one tree. Nothing of the foreign repository's configuration is read and none of its hooks runs.
 * @throws Fault `config/base` when there is no such repository, revision or folder.
 */
export async function treeFromRepository(
  source: RepositorySource,
  context: { readonly store: GitTreeStore; readonly taskDirectory: string },
  signal: AbortSignal,
): Promise<{ readonly tree: TreeId; readonly commitId: string }> {
  const { store, taskDirectory } = context
  const address = addressOf(source.repository, taskDirectory)
  return await withScratch(store.directory, async (scratch) => {
    const gitDirectory = join(scratch, 'git')
    await mkdir(gitDirectory)
    await git(['init', '--quiet', '--bare', '--template=', gitDirectory], { cwd: scratch, signal })
    const options = { gitDirectory, signal, env: await fetchEnvironment(scratch, address) }
    const commitId = await fetchRevision(source, address, options)
    const tree = await treeOf(commitId, source.subdirectory, options)
    await adoptTree(store, tree, gitDirectory, signal)
    return { tree, commitId }
  })
}

/** An address as it is, a path as a `file:` address: with it git copies no more than it must. */
function addressOf(repository: string, taskDirectory: string): string {
  const protocol = /^([a-z][a-z0-9+.-]*):/i.exec(repository)?.[1]?.toLowerCase()
  if (protocol === 'https' || protocol === 'ssh' || protocol === 'file') return repository
  const path = resolve(taskDirectory, repository)
  if (existsSync(path)) return pathToFileURL(path).href
  // git's short form of ssh: host:path, with or without a user.
  if (/^(?:[\w.-]+@)?[\w.-]+:[^:]+$/.test(repository) && protocol !== 'ext' && protocol !== 'http')
    return repository
  throw baseFault(
    'repository',
    `${repository}: expected a folder that is a git repository, or an https:, ssh: or file: address`,
  )
}

async function fetchEnvironment(scratch: string, address: string): Promise<Record<string, string>> {
  const config = join(scratch, 'gitconfig')
  // The user has named this very folder: it may belong to somebody else. Only configuration that is not the
  // repository's own can say so.
  const path = address.startsWith('file:') ? decodeURIComponent(new URL(address).pathname) : undefined
  const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  const folders = path === undefined ? [] : [path, join(path, '.git')]
  await writeFile(config, folders.map((folder) => `[safe]\n\tdirectory = ${quoted(folder)}\n`).join(''))
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(passedOn),
    GIT_ALLOW_PROTOCOL: 'file:https:ssh',
    GIT_CONFIG_GLOBAL: config,
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_ASKPASS: '/bin/false',
  }
}

/** First only what is asked for; when the other side does not know it by that name, all branches and tags. */
async function fetchRevision(
  source: RepositorySource,
  address: string,
  options: GitOptions,
): Promise<string> {
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
  const { revision } = source
  const direct = await runGit(
    [...fetch, '--depth=1', '--', address, `+${revision}:refs/assay/wanted`],
    options,
  )
  if (direct.code === 0) {
    const found = await runGit(['rev-parse', '--verify', '--quiet', 'refs/assay/wanted^{commit}'], options)
    if (found.code === 0) return found.stdout.toString('utf8').trim()
  }
  const all = await runGit(
    [
      ...fetch,
      '--',
      address,
      '+refs/heads/*:refs/heads/*',
      '+refs/tags/*:refs/tags/*',
      '+HEAD:refs/assay/head',
    ],
    options,
  )
  if (all.code !== 0) throw fetchFault(source.repository, all.stderr)
  const found = await runGit(
    [
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${revision.replace(/^HEAD(?![\w/])/, 'refs/assay/head')}^{commit}`,
    ],
    options,
  )
  if (found.code === 0) return found.stdout.toString('utf8').trim()
  throw baseFault(
    'revision',
    `expected a commit, a tag or a branch of ${source.repository}; ${revision} is none`,
  )
}

/** The network is not the user's mistake; an address that is no repository is. */
function fetchFault(repository: string, stderr: string): Fault {
  const why = stderr.split('\n').slice(0, 3).join(' ').slice(0, 500)
  if (
    /could not resolve host|connection (?:refused|timed out|reset)|network is unreachable|failed to connect/i.test(
      stderr,
    )
  ) {
    return new Fault('infra/repository', `${repository} cannot be reached: ${why}`)
  }
  return baseFault('repository', `${repository}: expected a git repository that can be fetched: ${why}`)
}

async function treeOf(
  commitId: string,
  subdirectory: string | undefined,
  options: GitOptions,
): Promise<TreeId> {
  const folder =
    subdirectory
      ?.split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      .join('/') ?? ''
  const found = await runGit(
    [
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      folder === '' ? `${commitId}^{tree}` : `${commitId}:${folder}`,
    ],
    options,
  )
  const tree = found.stdout.toString('utf8').trim()
  const type = found.code === 0 ? await runGit(['cat-file', '-t', tree], options) : undefined
  if (type?.stdout.toString('utf8').trim() === 'tree') return tree
  throw baseFault('subdirectory', `expected a folder of commit ${commitId}; ${folder} is none`)
}
