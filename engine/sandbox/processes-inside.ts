import { Fault } from '../../specs/fault.ts'
import { parseListing, type TopTable } from '../pure/sandbox/top-table.ts'
import { dockerExec, type ExecHost } from './docker-exec.ts'

/** `uid pid command line` of each process, by a shell's own means and `tr`. */
const LIST = `cd /proc && for pid in [0-9]*; do
  uid=; while read -r key value _; do [ "$key" = Uid: ] && uid=$value; done 2>/dev/null <$pid/status
  [ -z "$uid" ] || printf '%s %s %s\\n' "$uid" "$pid" "$(tr '\\0\\n' '  ' 2>/dev/null <$pid/cmdline)"
done`
const LIST_MS = 20_000
const LIST_BYTES = 1_000_000

/**
 * The processes of a box under gVisor, which the engine cannot list: it knows their numbers in the box and takes them for
 * numbers of the host. They are asked of gVisor's own kernel instead, by a program of the image that runs as the box's
 * first process does, so that nothing in the box can touch it.
 * @throws Fault `infra/engine` when they could not be listed: silence never stands for "none".
 */
export async function processesInside(host: ExecHost, user: string, signal: AbortSignal): Promise<TopTable> {
  const spec = {
    argv: ['sh', '-c', LIST],
    user,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: LIST_MS,
    outputBytes: LIST_BYTES,
  } as const
  const { stdout, end } = await dockerExec(host, spec, signal)
  if (end.kind !== 'exited' || end.code !== 0) {
    throw new Fault('infra/engine', `the processes of a box could not be listed (${end.kind})`)
  }
  return parseListing(stdout.toString('utf8'))
}
