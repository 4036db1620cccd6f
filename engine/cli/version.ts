import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The package's version, from the nearest package.json above: the same from source and when installed. */
export function version(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    try {
      const data = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: string }
      return data.version ?? 'unknown'
    } catch {
      if (folder === dirname(folder)) return 'unknown'
    }
  }
}
