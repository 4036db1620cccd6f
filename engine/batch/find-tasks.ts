import { readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Fault } from '../../specs/fault.ts'
import { readRegularFile } from '../task/read-regular-file.ts'

const MAX_LIST_BYTES = 1_000_000

/** A task directory, and where it was named. */
interface Named {
  readonly path: string
  readonly where: string
}

/**
 * The task directories that arguments name: a task directory, a folder of task directories, or a list (a text file, one
 * path a line relative to it, `#` begins a comment).
 * @returns absolute paths, in order.
 * @throws Fault `config/batch` that names the argument or the line, and both places of a task that is named twice.
 */
export async function findTasks(args: readonly string[]): Promise<readonly string[]> {
  const named: Named[] = []
  for (const arg of args) named.push(...(await tasksAt(resolve(arg), arg)))
  const seen = new Map<string, string>()
  for (const { path, where } of named) {
    const real = await realpath(path)
    const before = seen.get(real)
    if (before !== undefined) throw new Fault('config/batch', `${where}: the same task as ${before}`)
    seen.set(real, where)
  }
  return named.map(({ path }) => path)
}

/** Whether an argument is one task, which is run by itself. */
export async function isTask(path: string): Promise<boolean> {
  if (await isFile(join(path, 'task.yaml'))) return true
  return path.endsWith('task.yaml') && (await isFile(path))
}

async function tasksAt(path: string, where: string): Promise<readonly Named[]> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return tasksBelow(path, where)
  if (found?.isFile() === true && path.endsWith('task.yaml')) return [{ path: dirname(path), where }]
  if (found?.isFile() === true) return tasksListed(path, where)
  throw new Fault('config/batch', `${where}: expected a task directory, a folder of such, or a list of such`)
}

async function tasksBelow(path: string, where: string): Promise<readonly Named[]> {
  if (await isTask(path)) return [{ path, where }]
  const names = (await readdir(path)).sort()
  const inside: Named[] = []
  for (const name of names) {
    const below = join(path, name)
    if (await isTask(below)) inside.push({ path: below, where: join(where, name) })
  }
  if (inside.length > 0) return inside
  throw new Fault('config/batch', `${where}: expected a task directory (with task.yaml), or a folder of such`)
}

async function tasksListed(file: string, where: string): Promise<readonly Named[]> {
  const text = (await readRegularFile(file, undefined, MAX_LIST_BYTES, 'config/batch')).toString('utf8')
  const listed: Named[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const name = line.replace(/(?:^|\s)#.*$/, '').trim()
    if (name === '') continue
    const path = resolve(dirname(file), name)
    const place = `${where}: line ${index + 1}: ${name}`
    if (!(await isTask(path))) throw new Fault('config/batch', `${place}: expected a task directory`)
    listed.push({ path, where: place })
  }
  if (listed.length === 0) throw new Fault('config/batch', `${where}: expected a path of a task in each line`)
  return listed
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true
}
