/** What a file says about dependencies, by its name. Its folder does not matter. */
export type DependencyFileKind =
  | 'package-manifest'
  | 'package-lock'
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
  'uv.lock': 'other-lock',
  'go.mod': 'other-lock',
  'go.sum': 'other-lock',
  'pyproject.toml': 'pyproject',
  'setup.cfg': 'setup-cfg',
  'setup.py': 'setup-script',
  pipfile: 'pipfile',
}

const INSTALLED_FOLDERS = new Set(['node_modules', 'site-packages', 'dist-packages'])

/** Undefined for a file that says nothing about dependencies. Case does not matter: a file system may not know it. */
export function dependencyFileKind(path: string): DependencyFileKind | undefined {
  const segments = path.toLowerCase().split('/')
  const name = segments.at(-1) ?? ''
  // The last one, too: a link may stand for the folder.
  if (segments.some((segment) => INSTALLED_FOLDERS.has(segment))) return 'installed-file'
  if (Object.hasOwn(KINDS, name)) return KINDS[name]
  if (/^requirements.*\.(?:txt|in)$/.test(name)) return 'requirements'
  // The other usual layout: requirements/base.txt.
  if (segments.at(-2) === 'requirements' && /\.(?:txt|in)$/.test(name)) return 'requirements'
  return undefined
}
