import { Fault } from '../../specs/fault.ts'
import type { GitOptions } from '../trees/git.ts'

/**
 * How git runs where it speaks with the user's own repository: as the user would push to it, with the user's
 * configuration, credential helpers and keys, but without ever asking (it has no terminal), and by no protocol that starts a
 * program. Git otherwise runs without anything of the user's, see `engine/trees/git.ts`.
 * @param where its own repository, or the folder that it runs in.
 */
export function usersGit(
  where: Pick<GitOptions, 'gitDirectory' | 'cwd'>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): GitOptions {
  const passedOn = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith('GIT_') || PASSED_ON.has(entry[0])),
  )
  return {
    ...where,
    signal,
    isUsers: true,
    env: {
      ...Object.fromEntries(passedOn),
      GIT_ALLOW_PROTOCOL: 'file:https:ssh',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '/bin/false',
      SSH_ASKPASS: '/bin/false',
      LC_ALL: 'C',
    },
  }
}

/** Where the user's configuration is, and how the user reaches a host. */
const PASSED_ON = new Set([
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_SSH_COMMAND',
  'GIT_SSH',
  'GIT_PROXY_COMMAND',
  'GIT_SSL_CAINFO',
])

/** What git said of an address that did not answer, or has no such thing. */
export function remoteFault(repository: string, stderr: string): Fault {
  const why = wordsOf(stderr)
  if (
    /could not resolve host|connection (?:refused|timed out|reset)|network is unreachable|failed to connect|timed out|early EOF/i.test(
      stderr,
    )
  ) {
    return new Fault('infra/landing', `${repository} cannot be reached: ${why}`)
  }
  return new Fault(
    'config/landing',
    `${repository}: expected a git repository that can be fetched and pushed to: ${why}`,
  )
}

/** The first lines that git printed, for a fault. */
export function wordsOf(stderr: string): string {
  return stderr.split('\n').slice(0, 4).join(' ').slice(0, 600)
}
