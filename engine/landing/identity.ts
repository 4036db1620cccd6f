import { Fault } from '../../specs/fault.ts'
import { runGit } from '../trees/git.ts'
import { usersGit } from './users-git.ts'

export interface Identity {
  readonly name: string
  readonly email: string
}

/**
 * Author and committer as git itself would have them: `GIT_AUTHOR_NAME` and the like, else `user.name` and `user.email` of
 * the repository that one stands in or of the user.
 * @param cwd whose repository's configuration counts, where it is in one.
 * @throws Fault `config/identity` that says how to set it.
 */
export async function landingIdentity(
  env: NodeJS.ProcessEnv,
  cwd: string,
  signal: AbortSignal,
): Promise<{ readonly author: Identity; readonly committer: Identity }> {
  return {
    author: await identOf('GIT_AUTHOR', env, cwd, signal),
    committer: await identOf('GIT_COMMITTER', env, cwd, signal),
  }
}

async function identOf(
  which: 'GIT_AUTHOR' | 'GIT_COMMITTER',
  env: NodeJS.ProcessEnv,
  cwd: string,
  signal: AbortSignal,
): Promise<Identity> {
  const name = env[`${which}_NAME`] ?? (await configured('user.name', env, cwd, signal))
  const email = env[`${which}_EMAIL`] ?? (await configured('user.email', env, cwd, signal))
  if (name !== undefined && email !== undefined && isPlain(name) && isPlain(email)) return { name, email }
  throw new Fault(
    'config/identity',
    "a commit needs an author: expected user.name and user.email in git's configuration (`git config --global user.name NAME`)",
  )
}

async function configured(
  key: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { code, stdout } = await runGit(['config', '--get', key], usersGit({ cwd }, env, signal))
  const value = stdout.toString('utf8').trim()
  return code === 0 && value !== '' ? value : undefined
}

function isPlain(text: string): boolean {
  return text !== '' && !/[<>\u0000-\u001f]/.test(text)
}
