import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Fault } from '../../specs/fault.ts'
import type { TreeId } from '../../specs/digest.ts'
import { isDotGit } from '../pure/dot-git.ts'
import { ByteReader } from './byte-reader.ts'
import type { GitTreeStore } from './git-tree-store.ts'
import { ended, spawnGit } from './git.ts'
import { openQuarantine } from './quarantine.ts'

export interface IgnoreRules {
  /**
   * What of a path is ignored: the path itself, or the first folder on its way that is (with a final slash), since
   * git never looks below an ignored folder. Undefined when nothing is.
   */
  ignored(path: string, isFolder: boolean): Promise<string | undefined>
  close(): Promise<void>
}

const NO_RULES: IgnoreRules = {
  ignored: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
}

/**
 * The ignore rules of a tree: those of its own `.gitignore` files and no others, evaluated by git in a work tree that
 * holds nothing but them. The caller closes them.
 */
export async function openIgnoreRules(
  store: GitTreeStore,
  tree: TreeId,
  signal?: AbortSignal,
): Promise<IgnoreRules> {
  const files = (await store.list(tree, signal)).filter(
    (entry) => entry.path.split('/').at(-1) === '.gitignore' && entry.mode.startsWith('100'),
  )
  if (files.length === 0) return NO_RULES
  const { gitDirectory, scratch } = await openQuarantine(store.directory)
  try {
    const work = join(scratch, 'work')
    await mkdir(work)
    for (const { path } of files) {
      await mkdir(join(work, dirname(path)), { recursive: true })
      const rules = await store.readFile(tree, path, signal)
      await writeFile(join(work, path), rules ?? '', { flag: 'wx' })
    }
    return new GitIgnoreRules(scratch, gitDirectory, work, signal)
  } catch (error) {
    await rm(scratch, { recursive: true, force: true })
    throw error
  }
}

/** One `git check-ignore` answers all questions, one at a time and in order. */
class GitIgnoreRules implements IgnoreRules {
  readonly #scratch: string
  readonly #child: ChildProcessWithoutNullStreams
  readonly #end: ReturnType<typeof ended>
  readonly #answers: ByteReader
  /** Folders that were asked for, with a final slash, and whether they are ignored. */
  readonly #folders = new Map<string, boolean>()

  constructor(scratch: string, gitDirectory: string, work: string, signal?: AbortSignal) {
    this.#scratch = scratch
    this.#child = spawnGit(
      [`--work-tree=${work}`, 'check-ignore', '--stdin', '-z', '--verbose', '--non-matching', '--no-index'],
      { gitDirectory, cwd: work, signal },
    )
    this.#end = ended(this.#child)
    this.#end.catch(() => undefined)
    this.#answers = new ByteReader(this.#child.stdout)
  }

  async ignored(path: string, isFolder: boolean): Promise<string | undefined> {
    const segments = path.split('/')
    for (let length = 1; length <= segments.length; length += 1) {
      // Not asked for: the gate refuses it wherever it is.
      if (isDotGit(segments[length - 1] ?? '')) return undefined
      const part = segments.slice(0, length).join('/')
      if (length === segments.length && !isFolder) return (await this.#ask(part)) ? part : undefined
      if (await this.#folderIsIgnored(`${part}/`)) return `${part}/`
    }
    return undefined
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#end.catch(() => undefined)
    await rm(this.#scratch, { recursive: true, force: true })
  }

  async #folderIsIgnored(folder: string): Promise<boolean> {
    const known = this.#folders.get(folder)
    if (known !== undefined) return known
    const answer = await this.#ask(folder)
    this.#folders.set(folder, answer)
    return answer
  }

  async #ask(path: string): Promise<boolean> {
    // `./` keeps a name that starts with a colon from being read as pathspec magic.
    this.#child.stdin.write(`./${path}\0`)
    // The answer: file of the rule, its line, its pattern, the path; each ends with a NUL, empty without a rule.
    const source = await this.#answers.until(0)
    await this.#answers.until(0)
    const pattern = await this.#answers.until(0)
    const asked = await this.#answers.until(0)
    if (asked !== `./${path}`) {
      const { stderr } = await this.#end
      throw new Fault(
        'infra/ignore-rules',
        `git check-ignore did not answer for ${JSON.stringify(path)}: ${stderr}`,
      )
    }
    return source !== '' && pattern?.startsWith('!') === false
  }
}
