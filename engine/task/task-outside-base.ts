import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { BaseSource } from '../../specs/task.ts'
import type { Trees } from '../../specs/trees.ts'
import type { LoadedTask } from './load-task.ts'

/**
 * A worker gets the whole base, and a product box the whole output: a base that holds the task's own folder, or a copy of
 * its `checks.json`, would show them the checks.
 * @throws Fault `config/base` that names the path in base.
 */
export async function requireTaskOutsideBase(
  { task, directory }: LoadedTask,
  base: TreeId,
  trees: Pick<Trees, 'list'>,
  signal: AbortSignal,
): Promise<void> {
  const entries = await trees.list(base, signal)
  const folder = await placeInBase(task.base, directory)
  const document =
    task.oracle.kind === 'files'
      ? await blobId(join(directory, task.oracle.directory, 'checks.json'))
      : undefined
  const shown = entries.find(
    ({ path, objectId }) =>
      objectId === document || (folder !== undefined && (path === folder || path.startsWith(`${folder}/`))),
  )
  if (shown === undefined) return
  throw new Fault(
    'config/base',
    `task.yaml: base: it holds ${JSON.stringify(shown.path)}, so a worker would see the checks; ` +
      'expected a base without the task: keep the task elsewhere, or name a revision that does not have it',
  )
}

/** Where the task's folder stands in a base that is on this disk; undefined when it is not in there. */
async function placeInBase(source: BaseSource, directory: string): Promise<string | undefined> {
  const root =
    source.from === 'directory'
      ? resolve(directory, source.path)
      : source.from === 'git'
        ? resolve(directory, source.repository, source.subdirectory ?? '.')
        : undefined
  if (root === undefined) return undefined
  const place = await Promise.all([realpath(root), realpath(directory)]).then(
    ([from, to]) => relative(from, to),
    // An address, not a folder.
    () => '..',
  )
  if (place === '') return 'task.yaml'
  return place === '..' || place.startsWith('../') || isAbsolute(place) ? undefined : place
}

/**
 * The name that git gives to a file's content. Undefined where there is no such file: a set of a live task was read before,
 * and that of a recorded one was held against its base when it was recorded.
 */
async function blobId(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes === undefined) return undefined
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
