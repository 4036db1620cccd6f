import { hasControlCharacter, utf8Length } from '../pure/names.ts'
import type { TreeCaps } from '../pure/tree-caps.ts'

/** A name of a tar archive as a path of a tree. */
export type TarPath =
  | { readonly kind: 'path'; readonly path: string }
  /** The folder that the tree itself is in, or one above it. */
  | { readonly kind: 'root' }
  | { readonly kind: 'refused'; readonly reason: string; readonly path: string }

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Reads a name: UTF-8, relative, without `..`; `.` and empty segments are dropped, and so are `strip` leading folders.
 */
export function readTarPath(name: Buffer, strip: number): TarPath {
  const shown = name.toString('latin1')
  let text: string
  try {
    text = UTF8.decode(name)
  } catch {
    return { kind: 'refused', reason: 'its name is not UTF-8', path: shown }
  }
  const refused = (reason: string): TarPath => ({ kind: 'refused', reason, path: text })
  if (text.includes('\0')) return refused('its name holds a NUL')
  if (text.startsWith('/')) return refused('its name is absolute')
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..')) return refused('its name has a .. segment')
  const path = segments.slice(strip).join('/')
  return path === '' ? { kind: 'root' } : { kind: 'path', path }
}

/** Why a path is over the caps, or undefined. */
export function problemOfPath(path: string, caps: TreeCaps): string | undefined {
  if (hasControlCharacter(path)) return 'its name has a control character'
  const segments = path.split('/')
  if (utf8Length(path) > caps.pathBytes) return `its name has more than ${caps.pathBytes} bytes`
  if (segments.length > caps.depth) return `it is more than ${caps.depth} folders deep`
  if (segments.some((segment) => utf8Length(segment) > caps.segmentBytes)) {
    return `a segment of its name has more than ${caps.segmentBytes} bytes`
  }
  return undefined
}
