import { satisfies, validRange } from 'semver'
import type { Installed, MissingDependency } from './installed-packages.ts'
import { isRecord, parseJsonRecord } from './json-record.ts'

/** How one changed dependency file counts. */
export type FileEffect =
  /** Nothing of what would be installed is another. */
  { readonly kind: 'named' } | { readonly kind: 'changed'; readonly missing: readonly MissingDependency[] }

/** Fields of `package.json` that decide what `npm install --omit=dev` puts there. */
const RUNTIME_FIELDS = [
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'overrides',
  'resolutions',
  'bundleDependencies',
  'bundledDependencies',
  'workspaces',
  'engines',
] as const

/** Of these an image's list of packages cannot say whether they hold. */
const OPAQUE_FIELDS = [
  'overrides',
  'resolutions',
  'bundleDependencies',
  'bundledDependencies',
  'workspaces',
] as const

/**
 * A changed `package.json`. Undefined content: the file is not there.
 * Whatever is not read with certainty counts as missing.
 */
export function packageManifestEffect(
  path: string,
  base: string | undefined,
  output: string | undefined,
  installed: Installed,
): FileEffect {
  const before = parseJsonRecord(base ?? '{}')
  const after = parseJsonRecord(output ?? '{}')
  if (after === undefined)
    return { kind: 'changed', missing: [{ path, name: path, wanted: 'a JSON object' }] }
  const impostor = ownName(path, before, after, installed)
  if (impostor !== undefined) return { kind: 'changed', missing: [impostor] }
  if (before !== undefined && RUNTIME_FIELDS.every((field) => sameJson(before[field], after[field]))) {
    return { kind: 'named' }
  }
  const opaque = OPAQUE_FIELDS.filter((field) => !sameJson(before?.[field], after[field])).map((field) => ({
    path,
    name: field,
    wanted: 'as the output has it, which a list of installed packages cannot show',
  }))
  return { kind: 'changed', missing: [...wantedMissing(path, before, after, installed), ...opaque] }
}

/** A package that calls itself what another is called: inside it that name means itself, and not what is installed. */
function ownName(
  path: string,
  base: Readonly<Record<string, unknown>> | undefined,
  { name }: Readonly<Record<string, unknown>>,
  installed: Installed,
): MissingDependency | undefined {
  if (typeof name !== 'string' || name === base?.['name'] || installed.versions(name).length === 0)
    return undefined
  return installed.missing(path, name, 'the installed package, which this one has taken the name of')
}

function wantedMissing(
  path: string,
  base: Readonly<Record<string, unknown>> | undefined,
  manifest: Readonly<Record<string, unknown>>,
  installed: Installed,
): MissingDependency[] {
  const optional = namesOf(manifest['optionalDependencies'])
  const peerMeta = isRecord(manifest['peerDependenciesMeta']) ? manifest['peerDependenciesMeta'] : {}
  const isOptionalPeer = (name: string): boolean => {
    const meta = Object.hasOwn(peerMeta, name) ? peerMeta[name] : undefined
    return isRecord(meta) && meta['optional'] === true
  }
  const fields = [
    'dependencies',
    'optionalDependencies',
    'peerDependencies',
    // What base asks of the engine the image was made for.
    ...(sameJson(base?.['engines'], manifest['engines']) ? [] : (['engines'] as const)),
  ] as const
  return fields.flatMap((field) => {
    const wanted = manifest[field] ?? {}
    if (!isRecord(wanted)) return [{ path, name: field, wanted: 'an object of names and ranges' }]
    return Object.entries(wanted).flatMap(([name, range]) => {
      const text = typeof range === 'string' ? range : JSON.stringify(range)
      // npm, pnpm and the like are no part of what runs.
      if (field === 'engines' && name !== 'node') return []
      const versions = installed.versions(name)
      const mayBeAbsent = optional.has(name) || (field === 'peerDependencies' && isOptionalPeer(name))
      if (mayBeAbsent && versions.length === 0) return []
      return typeof range === 'string' && holds(text, versions) ? [] : [installed.missing(path, name, text)]
    })
  })
}

/** Whether a version of the list is in the range. An address, an alias or a tag is no range and never holds. */
function holds(range: string, versions: readonly string[]): boolean {
  return validRange(range) !== null && versions.some((version) => satisfies(version, range))
}

function namesOf(field: unknown): ReadonlySet<string> {
  return new Set(isRecord(field) ? Object.keys(field) : [])
}

/** Equal as JSON, whatever the order of keys; an empty object or list is the same as none. */
function sameJson(one: unknown, other: unknown): boolean {
  return stableText(one) === stableText(other)
}

function stableText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '' : `[${value.map(stableText).join(',')}]`
  if (!isRecord(value)) return value === undefined ? '' : JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return keys.length === 0
    ? ''
    : `{${keys.map((key) => `${JSON.stringify(key)}:${stableText(value[key])}`).join(',')}}`
}
