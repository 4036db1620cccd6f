import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf, type CommitId, type TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import { withExclusive } from '../../images/exclusive.ts'
import { adoptTree } from '../trees/adopt-tree.ts'
import type { GitTreeStore } from '../trees/git-tree-store.ts'
import { git, runGit } from '../trees/git.ts'
import { commitTree } from '../trees/neutral-commit.ts'
import { updateRefs } from '../trees/update-refs.ts'
import type { Identity } from './identity.ts'
import { pushNote } from './notes.ts'
import { addressOf, localPath, type LandingTarget } from './target.ts'
import { remoteFault, usersGit, wordsOf } from './users-git.ts'

/** A commit of the branch, and its tree. */
export interface Tip {
  readonly commit: CommitId
  readonly tree: TreeId
}

export type Merge =
  | {
      readonly kind: 'merged'
      /** Of the whole repository: what lands. */
      readonly tree: TreeId
      /** What is graded: it, or the folder of it that base is. */
      readonly graded: TreeId
      /** The same of the branch. */
      readonly before: TreeId
      /** Paths of the repository that landing changes, sorted. */
      readonly changed: readonly string[]
    }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }

export type Push =
  | { readonly kind: 'landed' }
  | { readonly kind: 'moved'; readonly tip: CommitId }
  | { readonly kind: 'refused'; readonly why: string }

export interface CommitParts {
  readonly tip: CommitId
  readonly tree: TreeId
  readonly message: string
  readonly author: Identity
  readonly committer: Identity
  readonly at: Date
}

interface LandingOptions {
  readonly store: GitTreeStore
  /** Where its repository stands, for example `<state>/landing`. */
  readonly directory: string
  readonly env: NodeJS.ProcessEnv
  /** The folder of the repository that base is; absent where base is all of it. */
  readonly folder?: string
}

/**
 * Opens a branch to land on.
 * @throws Fault `config/landing` when there is no such repository or branch, or a push to it would be refused since it is
 * checked out; `infra/landing` when it cannot be reached.
 */
export async function openLanding(
  target: LandingTarget,
  options: LandingOptions,
  signal: AbortSignal,
): Promise<Landing> {
  const gitDirectory = join(options.directory, `${digestOf(target).slice('sha256:'.length, 23)}.git`)
  await createRepository(gitDirectory, options.store.directory, signal)
  const landing = new Landing(target, gitDirectory, options)
  await landing.tip(signal)
  await requirePushable(target, options.env, signal)
  return landing
}

/**
 * One branch of a repository of the user's, through a bare repository of ours that has its history and borrows the objects
 * of the tree store. Nothing is ever checked out, and no configuration of a tree counts.
 */
export class Landing {
  readonly #target: LandingTarget
  readonly #gitDirectory: string
  readonly #options: LandingOptions

  constructor(target: LandingTarget, gitDirectory: string, options: LandingOptions) {
    this.#target = target
    this.#gitDirectory = gitDirectory
    this.#options = options
  }

  /** Fetches the branch. @throws Fault `config/landing` when it is gone, `infra/landing`. */
  async tip(signal: AbortSignal): Promise<Tip> {
    const { repository, branch } = this.#target
    const incoming = `refs/assay/incoming/${randomUUID()}`
    const options = usersGit({ gitDirectory: this.#gitDirectory }, this.#options.env, signal)
    const argv = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules']
    const fetched = await runGit(
      [...argv, '--', addressOf(this.#target), `+refs/heads/${branch}:${incoming}`],
      options,
    )
    if (fetched.code !== 0) {
      if (/couldn't find remote ref/i.test(fetched.stderr)) throw await this.#noBranch(signal)
      throw remoteFault(repository, fetched.stderr)
    }
    try {
      const commit = await this.#revision(`${incoming}^{commit}`, signal)
      return { commit, tree: await this.#revision(`${commit}^{tree}`, signal) }
    } finally {
      // What was fetched stays: objects are never collected here.
      await updateRefs(this.#gitDirectory, [`delete ${incoming}`])
    }
  }

  /**
   * Merges an output with what the branch is: base is what both come from. Where the branch still is base, the merged
   * tree is the output to the byte. The merged tree is in the tree store afterwards.
   */
  async merge(base: TreeId, tip: Tip, output: TreeId, signal: AbortSignal): Promise<Merge> {
    const before = await this.#folderOf(tip.tree, signal)
    // Two commits on top of base: git finds by itself what both come from. (`--merge-base` needs git 2.40.)
    const from = await commitTree(this.#gitDirectory, base, signal)
    const ours = await commitTree(this.#gitDirectory, before, signal, from)
    const theirs = await commitTree(this.#gitDirectory, output, signal, from)
    const merged = await runGit(
      ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs],
      { gitDirectory: this.#gitDirectory, signal },
    )
    const [graded = '', ...paths] = merged.stdout.toString('utf8').split('\0')
    if (merged.code === 1) {
      return { kind: 'conflict', paths: [...new Set(paths.filter((path) => path !== ''))].sort() }
    }
    if (merged.code !== 0) throw new Fault('infra/git', `git merge-tree: ${wordsOf(merged.stderr)}`)
    const tree = await this.#placed(tip.tree, graded, signal)
    const { store } = this.#options
    for (const one of new Set([graded, before])) {
      if (!(await store.has(one))) await adoptTree(store, one, this.#gitDirectory, signal)
    }
    return { kind: 'merged', tree, graded, before, changed: await this.#changed(tip.tree, tree, signal) }
  }

  /** Writes a commit of a tree on top of the tip. The same parts give the same id. */
  async commit(parts: CommitParts, signal: AbortSignal): Promise<CommitId> {
    const { tip, tree, message, author, committer, at } = parts
    // With an @ any number is seconds since 1970; without it git takes small ones for something else.
    const date = `@${Math.floor(at.getTime() / 1000)} +0000`
    const id = await git(['commit-tree', tree, '-p', tip], {
      gitDirectory: this.#gitDirectory,
      signal,
      stdin: message,
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: committer.name,
        GIT_COMMITTER_EMAIL: committer.email,
        GIT_COMMITTER_DATE: date,
      },
    })
    return id.toString('utf8').trim()
  }

  /**
   * Moves the branch from tip to a commit on top of it, if it still is at tip. A lease makes that a compare-and-swap:
   * a plain push would also take the branch forward from an older commit that somebody reset it to. It never forces
   * anything, since the commit's parent is the very tip that the lease demands, which is checked.
   */
  async push(tip: CommitId, commit: CommitId, signal: AbortSignal): Promise<Push> {
    const { repository, branch } = this.#target
    if ((await this.#revision(`${commit}^`, signal)) !== tip)
      throw new Fault('bug/landing', `commit ${commit} does not stand on ${tip}`)
    const ref = `refs/heads/${branch}`
    const argv = ['push', '--porcelain', '--no-verify', '--no-follow-tags', '--recurse-submodules=no']
    const options = usersGit({ gitDirectory: this.#gitDirectory }, this.#options.env, signal)
    const pushed = await runGit(
      [...argv, `--force-with-lease=${ref}:${tip}`, '--', addressOf(this.#target), `${commit}:${ref}`],
      options,
    )
    if (pushed.code === 0) return { kind: 'landed' }
    // What git says of a ref differs between versions and hosts; where the branch is does not.
    const now = await this.tip(signal)
    if (now.commit === commit) return { kind: 'landed' }
    if (now.commit !== tip) return { kind: 'moved', tip: now.commit }
    const said = `${pushed.stdout.toString('utf8')}\n${pushed.stderr}`
    // What a hook says is its own words, whatever they are about.
    const own = pushed.stderr.replaceAll(/^remote:.*$/gm, '')
    if (/could not resolve|connection|network|timed out/i.test(own)) {
      throw new Fault('infra/landing', `${repository} cannot be reached: ${wordsOf(pushed.stderr)}`)
    }
    return { kind: 'refused', why: refusalIn(said) }
  }

  /** Whether the branch has the commit: a process that was killed may have pushed it, and others may stand on it since. */
  async has(commit: CommitId, signal: AbortSignal): Promise<boolean> {
    const { commit: tip } = await this.tip(signal)
    const found = await runGit(['merge-base', '--is-ancestor', commit, tip], {
      gitDirectory: this.#gitDirectory,
      signal,
    })
    return found.code === 0
  }

  /** Adds a note to a commit in the user's repository. @throws Fault `infra/landing`. */
  async addNote(commit: CommitId, text: string, who: Identity, signal: AbortSignal): Promise<void> {
    const { env } = this.#options
    const address = addressOf(this.#target)
    await pushNote({ gitDirectory: this.#gitDirectory, address, env, who }, commit, text, signal)
  }

  async #noBranch(signal: AbortSignal): Promise<Fault> {
    const { repository, branch } = this.#target
    const options = usersGit({ gitDirectory: this.#gitDirectory }, this.#options.env, signal)
    const listed = await runGit(['ls-remote', '--heads', '--', addressOf(this.#target)], options)
    const names = [...listed.stdout.toString('utf8').matchAll(/\trefs\/heads\/(.+)$/gm)].map(
      ([, name]) => name,
    )
    const there = names.length === 0 ? 'it has none' : `it has ${names.slice(0, 10).join(', ')}`
    return new Fault('config/landing', `${repository}: expected a branch ${branch}; ${there}`)
  }

  async #revision(revision: string, signal: AbortSignal): Promise<string> {
    const options = { gitDirectory: this.#gitDirectory, signal }
    const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', revision], options)
    return found.toString('utf8').trim()
  }

  /** The tree of the folder that base is. */
  async #folderOf(tree: TreeId, signal: AbortSignal): Promise<TreeId> {
    const { folder } = this.#options
    if (folder === undefined) return tree
    const found = await runGit(
      ['rev-parse', '--verify', '--quiet', '--end-of-options', `${tree}:${folder}`],
      {
        gitDirectory: this.#gitDirectory,
        signal,
      },
    )
    if (found.code !== 0) throw new Fault('config/landing', `the branch has no folder ${folder}`)
    return found.stdout.toString('utf8').trim()
  }

  /** The repository's tree with what was merged in its folder. */
  async #placed(whole: TreeId, merged: TreeId, signal: AbortSignal): Promise<TreeId> {
    const { folder } = this.#options
    if (folder === undefined) return merged
    let placed = merged
    const names = folder.split('/')
    for (let depth = names.length; depth > 0; depth--) {
      const parent = names.slice(0, depth - 1).join('/')
      placed = await this.#withEntry(`${whole}:${parent}`, names[depth - 1] ?? '', placed, signal)
    }
    return placed
  }

  /** A tree with one of its folders exchanged. */
  async #withEntry(parent: string, name: string, tree: TreeId, signal: AbortSignal): Promise<TreeId> {
    const options = { gitDirectory: this.#gitDirectory, signal }
    // Names are bytes: those of other entries stay as they are.
    const bytes = Buffer.from(name).toString('latin1')
    const listing = (await git(['ls-tree', '-z', parent], options)).toString('latin1')
    const others = listing
      .split('\0')
      .filter((line) => line !== '' && line.slice(line.indexOf('\t') + 1) !== bytes)
    const stdin = Buffer.from([...others, `040000 tree ${tree}\t${bytes}`, ''].join('\0'), 'latin1')
    return (await git(['mktree', '-z'], { ...options, stdin })).toString('utf8').trim()
  }

  async #changed(before: TreeId, after: TreeId, signal: AbortSignal): Promise<readonly string[]> {
    const argv = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, after]
    const text = (await git(argv, { gitDirectory: this.#gitDirectory, signal })).toString('utf8')
    return text
      .split('\0')
      .filter((path) => path !== '')
      .sort()
  }
}

async function createRepository(
  gitDirectory: string,
  storeDirectory: string,
  signal: AbortSignal,
): Promise<void> {
  await withExclusive(`${gitDirectory}.lock`, signal, async () => {
    await mkdir(gitDirectory, { recursive: true })
    await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=none', gitDirectory], {
      cwd: gitDirectory,
      signal,
    })
    await mkdir(join(gitDirectory, 'objects', 'info'), { recursive: true })
    await writeFile(
      join(gitDirectory, 'objects', 'info', 'alternates'),
      `${join(storeDirectory, 'objects')}\n`,
    )
  })
}

/** A branch that is checked out does not take a push, unless its repository says so. Told before anything has run. */
async function requirePushable(
  target: LandingTarget,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> {
  const path = localPath(target)
  if (path === undefined) return
  const options = usersGit({ cwd: path }, env, signal)
  const listed = await runGit(['worktree', 'list', '--porcelain'], options)
  const places = listed.stdout.toString('utf8').split('\n\n')
  const place = places.find((one) => one.split('\n').includes(`branch refs/heads/${target.branch}`))
  if (place === undefined) return
  const rule = await runGit(['config', '--get', 'receive.denyCurrentBranch'], options)
  if (['ignore', 'false', 'warn', 'updateInstead'].includes(rule.stdout.toString('utf8').trim())) return
  const where = place.split('\n')[0]?.replace(/^worktree /, '') ?? path
  throw new Fault(
    'config/landing',
    `${target.branch} is checked out in ${where}: land on another branch or in a bare clone, or set receive.denyCurrentBranch to updateInstead there`,
  )
}

/** Why a ref was not taken, in the words of the other side. */
function refusalIn(said: string): string {
  const hook = said
    .split('\n')
    .filter((line) => line.startsWith('remote:'))
    .map((line) => line.replace(/^remote:\s*/, '').trim())
    .filter((line) => line !== '')
  const ref = /^!\t[^\t]*\t(.*)$/m.exec(said)?.[1] ?? wordsOf(said)
  return [ref, ...hook].join('; ').slice(0, 2000)
}
