import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '../specs/fault.ts'
import { say, type ImageDeps } from './deps.ts'
import { engineArch } from './engine-images.ts'
import type { InstalledPackage } from './local-lock.ts'
import { installedByNpm, type NpmPlan } from './npm-manifest.ts'
import { runProgram } from './run-program.ts'
import { tarFolder } from './tar-folder.ts'

/** A tar that unpacks at the root of an image, and what is in it. */
export interface DependencyLayer {
  readonly tar: string
  readonly installed: readonly InstalledPackage[]
  /** The lockfile that this installation made, where base had none. */
  readonly generatedLockfile?: string
}

/**
 * Installs a product's npm dependencies, as a layer with `/box/node_modules`.
 *
 * npm runs on the host, in an empty folder, and not in a build: there it has the user's registry, proxy, certificate
 * authority and login as they are, none of which may enter an image, and needs no network in a container. It runs
 * none of the packages' code (`--ignore-scripts`) and no git (only registry packages get this far), so the host is
 * exposed to no more than the unpacking of tarballs whose integrity npm checks.
 * @param pinnedLockfile the lockfile of an earlier installation, where base has none.
 */
export async function installNpm(
  deps: ImageDeps,
  plan: NpmPlan,
  pinnedLockfile: string | undefined,
  scratch: string,
): Promise<DependencyLayer> {
  for (const [name, text] of Object.entries(plan.files)) await writeFile(join(scratch, name), text)
  if (pinnedLockfile !== undefined) await writeFile(join(scratch, 'package-lock.json'), pinnedLockfile)
  const locked = plan.locked || pinnedLockfile !== undefined
  const cpu = await engineArch(deps)
  say(deps, `dependencies: npm ${locked ? 'ci' : 'install'}`)
  await runProgram(
    'npm',
    [
      ...[
        locked ? 'ci' : 'install',
        plan.dev === true ? '--include=dev' : '--omit=dev',
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
      ],
      ...['--no-update-notifier', '--no-workspaces', '--package-lock', '--loglevel=error'],
      ...['--os=linux', `--cpu=${cpu}`, '--libc=glibc'],
    ],
    { cwd: scratch, signal: deps.signal },
  ).catch((error: unknown) => {
    if (!(error instanceof Fault) || error.code !== 'infra/program') throw error
    throw new Fault('infra/dependencies', `the product's npm dependencies: ${error.message}`, {
      cause: error,
    })
  })
  const hidden = join(scratch, 'node_modules', '.package-lock.json')
  const installed = installedByNpm(await readFile(hidden, 'utf8').catch(() => '{"lockfileVersion":3}'))
  const tar = join(scratch, 'layer.tar')
  await tarFolder(join(scratch, 'node_modules'), 'box/node_modules', tar, deps.signal)
  if (plan.locked) return { tar, installed }
  const generatedLockfile = pinnedLockfile ?? (await readFile(join(scratch, 'package-lock.json'), 'utf8'))
  return { tar, installed, generatedLockfile }
}
