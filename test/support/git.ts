import { execFileSync } from 'node:child_process'

const WHO = ['-c', 'user.name=Made for tests', '-c', 'user.email=tests@invalid', '-c', 'commit.gpgSign=false']

/** Runs git in a repository that a test made; returns what it printed. */
export function gitIn(cwd: string, argv: readonly string[]): string {
  return execFileSync('git', [...WHO, ...argv], { cwd, encoding: 'utf8' }).trim()
}
