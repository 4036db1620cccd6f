import { isUtf8 } from 'node:buffer'
import { hasControlCharacter, utf8Length } from '../pure/names.ts'
import type { TreeCaps } from '../pure/tree-caps.ts'

/** A name of a tar archive as a path of a tree. */
export type TarPath =
  | { readonly kind: 'path'; readonly path: string }
  /** The folder that the tree itself is in, or one above it. */
  | { readonly kind: 'root' }
  | {
      readonly kind: 'refused'
      readonly reason: string
      readonly path: string
      /** The folders on its way that can be read, if it is only its own name that cannot. */
      readonly below?: string
    }

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
    const below = readTarPath(readableFolders(name), strip)
    return {
      kind: 'refused',
      reason: 'its name is not UTF-8',
      path: shown,
      ...(below.kind === 'path' ? { below: below.path } : {}),
    }
  }
  const refused = (reason: string): TarPath => ({ kind: 'refused', reason, path: text })
  if (text.includes('\0')) return refused('its name holds a NUL')
  if (text.startsWith('/')) return refused('its name is absolute')
  const segments = text.split('/').filter((segment) => segment !== '' && segment !== '.')
  if (segments.includes('..')) return refused('its name has a .. segment')
  const path = segments.slice(strip).join('/')
  return path === '' ? { kind: 'root' } : { kind: 'path', path }
}

/** The leading segments of a name that are UTF-8. */
function readableFolders(name: Buffer): Buffer {
  let stop = 0
  for (let slash = name.indexOf(0x2f); slash >= 0; slash = name.indexOf(0x2f, slash + 1)) {
    if (!isUtf8(name.subarray(0, slash))) break
    stop = slash
  }
  return name.subarray(0, stop)
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
