/** What a file says about dependencies, by its name. Its folder does not matter. */
export type DependencyFileKind =
  | 'package-manifest'
  | 'package-lock'
  /** Read by a package manager whose files we do not read: any change of one is a change. */
  | 'other-manifest'
  | 'other-lock'
  | 'requirements'
  | 'pyproject'
  | 'setup-cfg'
  | 'setup-script'
  | 'pipfile'
  /** In a folder where a package manager installs: it would shadow, or be, a dependency. */
  | 'installed-file'

const KINDS: Readonly<Record<string, DependencyFileKind>> = {
  'package.json': 'package-manifest',
  'package-lock.json': 'package-lock',
  'npm-shrinkwrap.json': 'package-lock',
  'yarn.lock': 'other-lock',
  'pnpm-lock.yaml': 'other-lock',
  'bun.lock': 'other-lock',
  'bun.lockb': 'other-lock',
  'pipfile.lock': 'other-lock',
  'poetry.lock': 'other-lock',
  'pdm.lock': 'other-lock',
  'uv.lock': 'other-lock',
  'pylock.toml': 'other-lock',
  'deno.lock': 'other-lock',
  'go.mod': 'other-lock',
  'go.sum': 'other-lock',
  'go.work': 'other-lock',
  'go.work.sum': 'other-lock',
  'pnpm-workspace.yaml': 'other-manifest',
  'deno.json': 'other-manifest',
  'deno.jsonc': 'other-manifest',
  'environment.yml': 'other-manifest',
  'environment.yaml': 'other-manifest',
  'pyproject.toml': 'pyproject',
  'setup.cfg': 'setup-cfg',
  'setup.py': 'setup-script',
  pipfile: 'pipfile',
}

const INSTALLED_FOLDERS = new Set(['node_modules', 'site-packages', 'dist-packages'])
/** What yarn installs without `node_modules`: archives, unpacked packages, patches of them. */
const YARN_FOLDERS = new Set(['cache', 'unplugged', 'patches'])
/** The table by which yarn's packages are found: a program. */
const PNP_FILE = /^\.pnp\.(?:c?js|loader\.mjs|data\.json)$/

/** Undefined for a file that says nothing about dependencies. Case does not matter: a file system may not know it. */
export function dependencyFileKind(path: string): DependencyFileKind | undefined {
  const segments = path.toLowerCase().split('/')
  const name = segments.at(-1) ?? ''
  if (isInstalled(segments) || PNP_FILE.test(name)) return 'installed-file'
  if (Object.hasOwn(KINDS, name)) return KINDS[name]
  if (/^(?:requirements|constraints).*\.(?:txt|in)$/.test(name)) return 'requirements'
  // The other usual layout: requirements/base.txt.
  if (segments.at(-2) === 'requirements' && /\.(?:txt|in)$/.test(name)) return 'requirements'
  return undefined
}

/** The last segment counts, too: a link may stand for the folder. */
function isInstalled(segments: readonly string[]): boolean {
  return segments.some((segment, index) => {
    if (INSTALLED_FOLDERS.has(segment)) return true
    const inside = segments.slice(index + 1)
    if (segment === '.yarn') return inside[0] === undefined || YARN_FOLDERS.has(inside[0])
    return segment === 'vendor' && isVendoredModule(inside)
  })
}

/**
 * Whether a path in a folder `vendor` is of a Go module. Other languages keep what they like in a folder of that name; a
 * module's begins with the name of a host, and holds Go.
 */
function isVendoredModule(inside: readonly string[]): boolean {
  const [first, ...below] = inside
  if (first === undefined || (first === 'modules.txt' && below.length === 0)) return true
  return (first.includes('.') && below.length > 0) || inside.at(-1)?.endsWith('.go') === true
}
