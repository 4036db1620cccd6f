import { Fault } from '../../../specs/fault.ts'

/**
 * The name that an entry of a layer gets in the merged tar, under `folder` (no slashes at its ends; '' is the root).
 * `./` and the root itself are the folder.
 * @throws Fault `bug/volume-entry` for a name that leaves the folder.
 */
export function layerName(folder: string, name: string): string {
  const parts = [...folder.split('/'), ...pathParts(name)].filter((part) => part !== '')
  return parts.join('/')
}

/** The folders above a layer's folder, outermost first, itself last; none for the root. */
export function foldersOf(folder: string): string[] {
  const parts = pathParts(folder)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Whether one of the folders above `name` is a link: what is laid there would go where the link points. */
export function isBehindLink(name: string, links: ReadonlySet<string>): boolean {
  if (links.size === 0) return false
  const parts = name.split('/')
  return parts.some((_, index) => index > 0 && links.has(parts.slice(0, index).join('/')))
}

function pathParts(name: string): string[] {
  if (name.startsWith('/')) throw refused(name, 'is absolute')
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw refused(name, 'leaves its folder')
  return parts
}

function refused(name: string, why: string): Fault {
  return new Fault('bug/volume-entry', `tar entry ${JSON.stringify(name.slice(0, 200))} ${why}`)
}
