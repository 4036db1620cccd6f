import { z } from 'zod'
import { Fault } from '../specs/fault.ts'

const rangesSchema = z.record(z.string(), z.string()).optional()
const packageJsonSchema = z.looseObject({
  dependencies: rangesSchema,
  optionalDependencies: rangesSchema,
  peerDependencies: rangesSchema,
  workspaces: z.unknown().optional(),
})
const developedSchema = packageJsonSchema.extend({ devDependencies: rangesSchema })

const lockfileSchema = z.looseObject({
  lockfileVersion: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  packages: z
    .record(
      z.string(),
      z.looseObject({
        name: z.string().optional(),
        version: z.string().optional(),
        resolved: z.string().optional(),
        integrity: z.string().optional(),
        link: z.boolean().optional(),
        inBundle: z.boolean().optional(),
        dev: z.boolean().optional(),
      }),
    )
    .optional(),
})

/** Manifest files of a tree's root, by name. */
export type Manifests = Readonly<Record<string, Uint8Array>>

/** What npm is given: the files, whether a lockfile is among them, and whether what base is developed with comes, too. */
export interface NpmPlan {
  readonly files: Readonly<Record<string, string>>
  readonly locked: boolean
  readonly dev?: true
}

/** Not from the registry: a folder, a repository, an address. None of it is pinned by an integrity hash. */
const NOT_FROM_REGISTRY =
  /^(file:|link:|workspace:|portal:|git|github:|https?:|[^@/\s]+\/[^@/\s]+$|\.{0,2}\/)/

/**
 * What of a tree's manifest and lockfile is installed for it; pure.
 * @param dev also what it is developed with, such as a test framework, and not only what it needs at run time.
 * @returns undefined where there is nothing to install.
 * @throws Fault `config/dependencies` naming file and field, for what cannot be read or cannot be pinned.
 */
export function planNpm(manifests: Manifests, dev = false): NpmPlan | undefined {
  const text = manifests['package.json']
  if (text === undefined) return undefined
  const manifest: z.infer<typeof developedSchema> = parse(
    'package.json',
    text,
    dev ? developedSchema : packageJsonSchema,
  )
  const runtime = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const
  const kinds = dev ? ([...runtime, 'devDependencies'] as const) : runtime
  const wanted = kinds.flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}).map(([name, range]) => ({ kind, name, range })),
  )
  if (wanted.length === 0) return undefined
  for (const { kind, name, range } of wanted) {
    if (NOT_FROM_REGISTRY.test(range)) {
      throw new Fault(
        'config/dependencies',
        `package.json: ${kind}.${name} is "${range}"; expected a version from the registry`,
      )
    }
  }
  const mark = dev ? ({ dev: true } as const) : {}
  const lockName = ['npm-shrinkwrap.json', 'package-lock.json'].find((name) => manifests[name] !== undefined)
  const lockBytes = lockName === undefined ? undefined : manifests[lockName]
  if (lockName === undefined || lockBytes === undefined) {
    // Without a lockfile npm would resolve the development dependencies even to leave them out.
    const devDependencies = dev ? manifest.devDependencies : undefined
    const kept = { ...manifest, devDependencies, scripts: undefined, workspaces: undefined }
    return { files: { 'package.json': JSON.stringify(kept, null, 2) }, locked: false, ...mark }
  }
  checkLockfile(lockName, lockBytes, dev)
  return {
    files: { 'package.json': decode(text), 'package-lock.json': decode(lockBytes) },
    locked: true,
    ...mark,
  }
}

function checkLockfile(name: string, bytes: Uint8Array, dev: boolean): void {
  const { packages } = parse(name, bytes, lockfileSchema)
  for (const [path, entry] of Object.entries(packages ?? {})) {
    if (path === '' || (entry.dev === true && !dev) || entry.inBundle === true) continue
    if (entry.link === true || entry.integrity === undefined) {
      throw new Fault(
        'config/dependencies',
        `${name}: packages["${path}"] has no integrity; expected a package from the registry`,
      )
    }
  }
}

/** The packages that an installation left, from npm's own record of it (`node_modules/.package-lock.json`). */
export function installedByNpm(
  hiddenLockfile: string,
): readonly { readonly name: string; readonly version: string }[] {
  const { packages } = parse('node_modules/.package-lock.json', Buffer.from(hiddenLockfile), lockfileSchema)
  const installed = Object.entries(packages ?? {}).flatMap(([path, entry]) => {
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return entry.version === undefined ? [] : [{ name, version: entry.version }]
  })
  return sortInstalled(installed)
}

/** By name, then version; each once. */
export function sortInstalled<T extends { readonly name: string; readonly version: string }>(
  packages: readonly T[],
): readonly T[] {
  const unique = new Map(packages.map((item) => [`${item.name}@${item.version}`, item]))
  return [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}

function parse<T>(name: string, bytes: Uint8Array, schema: z.ZodType<T>): T {
  let data: unknown
  try {
    data = JSON.parse(decode(bytes).replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new Fault('config/dependencies', `${name}: not JSON`, { cause: error })
  }
  const result = schema.safeParse(data)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  throw new Fault('config/dependencies', `${name}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, {
    cause: result.error,
  })
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}
