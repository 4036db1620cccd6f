import type { Installed, MissingDependency } from './installed-packages.ts'
import { isRecord, parseJsonRecord } from './json-record.ts'
import type { FileEffect } from './package-manifest.ts'

/** One package that a lockfile installs when development dependencies are left out. */
interface LockedPackage {
  readonly name: string
  readonly version: string
  readonly optional: boolean
  /** Where its bytes come from, and their hash. */
  readonly source: string
}

/**
 * A changed `package-lock.json` or `npm-shrinkwrap.json`. Any other byte is a change; it holds when all that the new
 * one would install is installed at that version, and nothing that base locked at a version comes from elsewhere now.
 */
export function packageLockEffect(
  path: string,
  base: string | undefined,
  output: string | undefined,
  installed: Installed,
): FileEffect {
  const after = output === undefined ? undefined : lockedPackages(output)
  if (after === undefined) {
    return {
      kind: 'changed',
      missing: [{ path, name: path, wanted: 'a lockfile that npm could have written' }],
    }
  }
  const sources = new Map(
    (lockedPackages(base ?? '{"packages":{}}') ?? []).map((each) => [keyOf(each), each.source]),
  )
  return {
    kind: 'changed',
    missing: after.flatMap((locked): MissingDependency[] => {
      const { name, version, optional } = locked
      const versions = installed.versions(name)
      if (optional && versions.length === 0) return []
      if (!versions.includes(version)) return [installed.missing(path, name, version)]
      const known = sources.get(keyOf(locked))
      if (known === undefined ? isPublished(locked.source) : known === locked.source) return []
      return [installed.missing(path, name, `${version} from ${locked.source.slice(0, 200)}`)]
    }),
  }
}

const keyOf = (locked: LockedPackage): string => `${locked.name}@${locked.version}`

/** From a registry, as far as one can tell: https, and no repository. A lock may leave it out. */
function isPublished(source: string): boolean {
  return source === ' ' || /^https:\/\/[^ ]+\.tgz /.test(source)
}

/** Undefined when it is not a lockfile of version 1, 2 or 3. */
function lockedPackages(text: string): readonly LockedPackage[] | undefined {
  const lock = parseJsonRecord(text)
  if (lock === undefined) return undefined
  if (isRecord(lock['packages'])) return fromPackages(lock['packages'])
  return isRecord(lock['dependencies']) ? fromDependencies(lock['dependencies']) : undefined
}

/** Versions 2 and 3: one flat object, keyed by where each package lies. */
function fromPackages(packages: Readonly<Record<string, unknown>>): readonly LockedPackage[] | undefined {
  const locked: LockedPackage[] = []
  for (const [at, entry] of Object.entries(packages)) {
    if (!isRecord(entry)) return undefined
    const folder = at.lastIndexOf('node_modules/')
    // The project itself, and its workspaces: they are in the tree.
    if (folder < 0 || entry['dev'] === true) continue
    const name = typeof entry['name'] === 'string' ? entry['name'] : at.slice(folder + 'node_modules/'.length)
    locked.push(lockedPackage(name, entry))
  }
  return locked
}

/** Version 1: nested objects, keyed by name. */
function fromDependencies(
  dependencies: Readonly<Record<string, unknown>>,
): readonly LockedPackage[] | undefined {
  const locked: LockedPackage[] = []
  const todo = [dependencies]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const [name, entry] of Object.entries(next)) {
      if (!isRecord(entry)) return undefined
      if (isRecord(entry['dependencies'])) todo.push(entry['dependencies'])
      if (entry['dev'] !== true) locked.push(lockedPackage(name, entry))
    }
  }
  return locked
}

function lockedPackage(name: string, entry: Readonly<Record<string, unknown>>): LockedPackage {
  const text = (field: string): string => (typeof entry[field] === 'string' ? entry[field] : '')
  return {
    name,
    version: text('version') || (entry['link'] === true ? 'a link' : 'no version'),
    optional: entry['optional'] === true || entry['devOptional'] === true,
    source: `${text('resolved')} ${text('integrity')}`,
  }
}
