import { access, constants, readFile } from 'node:fs/promises'
import { arch, getuid } from 'node:process'
import { join } from 'node:path'
import { Fault } from '../specs/fault.ts'
import { debianMirror } from './apt-sources.ts'
import { CLOCK_COMPILER } from './definitions.ts'
import { say, type ImageDeps } from './deps.ts'
import { runProgram } from './run-program.ts'

/** All files of the root get this time, and the tar comes out the same for the same packages. */
const SOURCE_DATE_EPOCH = '0'
/** What the user is told to do where the tool that makes a base is not there. */
const NO_MMDEBSTRAP =
  'no base image: no registry answers, and mmdebstrap is not installed; run ' +
  '"apt-get install -y --no-install-recommends mmdebstrap debian-archive-keyring", or let the engine reach a registry'
const NOT_NEEDED = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*']

/**
 * Makes a minimal Debian root file system from Debian's packages, as a tar, in `scratch`.
 *
 * mmdebstrap runs in namespaces of its own, so that its mounts and all of its processes end with it, and dies with
 * us. Its output is the same, bit for bit, for the same packages.
 * @returns the tar's path.
 * @throws Fault `config/no-base` on a host where that cannot be done.
 */
export async function makeDebianRoot(
  deps: ImageDeps,
  suite: string,
  engineArch: string,
  scratch: string,
): Promise<string> {
  await requireDebianHost(engineArch)
  await requireMmdebstrap('/')
  const mirror = await hostMirror()
  const tar = join(scratch, 'root.tar')
  say(deps, `base: Debian ${suite} from its packages`)
  await runProgram(
    'setpriv',
    [
      ...['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
      ...['mmdebstrap', '--quiet', '--variant=minbase', '--format=tar'],
      `--include=${CLOCK_COMPILER}`,
      ...NOT_NEEDED.map((path) => `--dpkgopt=path-exclude=${path}`),
      ...[suite, tar, ...mirror],
    ],
    { signal: deps.signal, env: { ...hostEnvironment(), TMPDIR: scratch, SOURCE_DATE_EPOCH } },
  )
  return tar
}

async function requireDebianHost(engineArch: string): Promise<void> {
  const hint = 'let the engine reach a registry, or load debian:bookworm-slim into it'
  if (getuid?.() !== 0) {
    throw new Fault(
      'config/no-base',
      `no base image: no registry answers, and only root can make one; ${hint}`,
    )
  }
  if (!(await exists('/usr/bin/apt-get'))) {
    throw new Fault('config/no-base', `no base image: no registry answers, and this host has no apt; ${hint}`)
  }
  if (arch !== engineArch) {
    throw new Fault(
      'config/no-base',
      `no base image: the engine is ${engineArch}, this host is ${arch}; ${hint}`,
    )
  }
}

/** Nothing is installed on the host from here: that is the user's to do, or of the set-up scripts. */
export async function requireMmdebstrap(hostRoot: string): Promise<void> {
  const needed = ['usr/bin/mmdebstrap', 'usr/share/keyrings/debian-archive-keyring.gpg']
  const found = await Promise.all(needed.map((path) => exists(join(hostRoot, path))))
  if (found.every(Boolean)) return
  throw new Fault('config/no-base', NO_MMDEBSTRAP)
}

/** The mirror that the host itself uses, where the host is a Debian; mmdebstrap knows Debian's own otherwise. */
async function hostMirror(): Promise<readonly string[]> {
  const osRelease = await readFile('/etc/os-release', 'utf8').catch(() => '')
  if (!/^ID="?debian"?$/m.test(osRelease)) return []
  for (const path of ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list']) {
    const mirror = debianMirror(await readFile(path, 'utf8').catch(() => ''))
    if (mirror !== undefined) return [mirror]
  }
  return []
}

function hostEnvironment(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|.*_proxy)$/i.test(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']))
}

async function exists(path: string): Promise<boolean> {
  return await access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
}
