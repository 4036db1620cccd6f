import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '../../specs/fault.ts'
import { git, runGit, type GitOptions } from '../trees/git.ts'
import { updateRefs } from '../trees/update-refs.ts'
import { usersGit, wordsOf } from './users-git.ts'
import type { Identity } from './identity.ts'

/** Where attestations stand in a repository. */
export const NOTES_REF = 'refs/notes/assay'
const TRIES = 20
const PAUSE_MS = 100

interface NotesPlace {
  /** A repository of ours that has the commit. */
  readonly gitDirectory: string
  readonly address: string
  readonly env: NodeJS.ProcessEnv
  readonly who: Identity
}

/**
 * Adds a note to a commit in another repository: fetched, added, pushed by compare-and-swap, and again where others
 * added theirs meanwhile, so that none is lost. A commit that has this very line in its note is left as it is.
 * @param text one line.
 * @throws Fault `infra/landing` when it cannot be pushed.
 */
export async function pushNote(
  place: NotesPlace,
  commit: string,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const { gitDirectory, address, env, who } = place
  const options = usersGit({ gitDirectory }, env, signal)
  const own: GitOptions = {
    gitDirectory,
    signal,
    env: {
      GIT_AUTHOR_NAME: who.name,
      GIT_AUTHOR_EMAIL: who.email,
      GIT_COMMITTER_NAME: who.name,
      GIT_COMMITTER_EMAIL: who.email,
    },
  }
  let said = ''
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await sleep(PAUSE_MS * tries, undefined, { signal })
    // A ref below refs/notes/, since git writes notes nowhere else.
    const ref = `refs/notes/assay-${randomUUID()}`
    try {
      const fetched = await runGit(
        ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', address, `+${NOTES_REF}:${ref}`],
        options,
      )
      const before = fetched.code === 0 ? (await git(['rev-parse', ref], own)).toString().trim() : ''
      if (before === '' && !/couldn't find remote ref/i.test(fetched.stderr)) {
        said = fetched.stderr
        continue
      }
      const has = await runGit(['notes', `--ref=${ref}`, 'show', commit], own)
      if (has.code === 0 && has.stdout.toString('utf8').split('\n').includes(text.trim())) return
      // Appended, where somebody has a note on the same commit.
      await git(['notes', `--ref=${ref}`, 'append', '-F', '-', commit], { ...own, stdin: text })
      const pushed = await runGit(
        [
          'push',
          '--porcelain',
          '--no-verify',
          `--force-with-lease=${NOTES_REF}:${before}`,
          '--',
          address,
          `${ref}:${NOTES_REF}`,
        ],
        options,
      )
      if (pushed.code === 0) return
      said = `${pushed.stdout.toString('utf8')} ${pushed.stderr}`
    } finally {
      await updateRefs(gitDirectory, [`delete ${ref}`]).catch(() => undefined)
    }
  }
  throw new Fault('infra/landing', `${NOTES_REF} could not be pushed: ${wordsOf(said)}`)
}
