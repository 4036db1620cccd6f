import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from '../../engine/trees/git.ts'
import { BASE } from './double-task.ts'

/** A bare repository with a branch main that runs land on; its first commit is the base of the tasks made for tests. */
export class LandingRepository {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async make(
    folder: string,
    files: Readonly<Record<string, string>> = BASE,
  ): Promise<LandingRepository> {
    const path = await mkdtemp(join(folder, 'target-'))
    await git(['init', '-q', '--bare', '-b', 'main', path], { cwd: folder })
    const repository = new LandingRepository(path)
    await repository.put(files)
    return repository
  }

  get land(): string {
    return `${this.path}#main`
  }

  /** Another person's commit on main that adds or replaces files. */
  async put(files: Readonly<Record<string, string>>): Promise<string> {
    const index = join(this.path, `index-${process.pid}`)
    const options = { gitDirectory: this.path, env: { ...OTHER, GIT_INDEX_FILE: index } }
    const head = await this.head()
    if (head !== undefined) await git(['read-tree', head], options)
    for (const [path, text] of Object.entries(files)) {
      const blob = (await git(['hash-object', '-w', '--stdin'], { ...options, stdin: text }))
        .toString()
        .trim()
      await git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], options)
    }
    const tree = (await git(['write-tree'], options)).toString().trim()
    const parent = head === undefined ? [] : ['-p', head]
    const commit = (await git(['commit-tree', tree, ...parent, '-m', 'theirs'], options)).toString().trim()
    await git(['update-ref', 'refs/heads/main', commit], options)
    return commit
  }

  async head(): Promise<string | undefined> {
    return this.say(['rev-parse', 'main']).catch(() => undefined)
  }

  /** What git says of the repository. */
  async say(argv: readonly string[]): Promise<string> {
    return (await git(argv, { gitDirectory: this.path })).toString('utf8').trim()
  }
}

const OTHER = {
  GIT_AUTHOR_NAME: 'Other',
  GIT_AUTHOR_EMAIL: 'other@example.org',
  GIT_COMMITTER_NAME: 'Other',
  GIT_COMMITTER_EMAIL: 'other@example.org',
}

/** Whose commits land in tests. */
export const LANDS_AS = {
  GIT_AUTHOR_NAME: 'Assay User',
  GIT_AUTHOR_EMAIL: 'user@example.org',
  GIT_COMMITTER_NAME: 'Assay User',
  GIT_COMMITTER_EMAIL: 'user@example.org',
}
