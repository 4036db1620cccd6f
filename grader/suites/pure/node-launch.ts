import type { SuiteLaunch, SuitePlaces } from '../framework.ts'

/** Starts one of our runners under Node.js, in a folder that no tree can put anything into. */
export function nodeLaunch(
  { tree, own, tmp, files, tests, reportFd, nonce }: SuitePlaces,
  runner: string,
  settings: Readonly<{ flags?: readonly string[]; env?: Readonly<Record<string, string>> }> = {},
): SuiteLaunch {
  return {
    argv: ['node', ...(settings.flags ?? []), `${own}/${runner}`],
    env: settings.env ?? {},
    cwd: tmp,
    stdin: JSON.stringify({ tree, tmp, files, tests, reportFd, nonce }),
  }
}
