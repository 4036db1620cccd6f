import type { FrameworkName } from './suite.ts'

/**
 * Paths that a suite restores from base before its sealed files are laid over: what an output could steer a test runner
 * with. See the table in `specs/protected-paths.md`.
 */
export interface ProtectedPaths {
  /** Tests and what belongs to them. An output may change them, and they land; they are just not what grades it. */
  readonly tests: readonly string[]
  /** What configures a runner, a runtime or a build. An output that changes it needs a person, unless the policy allows it. */
  readonly configuration: readonly string[]
}

const NODE_FILES = ['**/*.test.{js,cjs,mjs,jsx,ts,cts,mts,tsx}', '**/*.spec.{js,cjs,mjs,jsx,ts,cts,mts,tsx}']
/** What files with tests are called, by framework. */
const TEST_FILES: Readonly<Record<FrameworkName, readonly string[]>> = {
  pytest: ['**/test_*.py', '**/*_test.py'],
  'node-test': NODE_FILES,
  jest: NODE_FILES,
  vitest: NODE_FILES,
  mocha: NODE_FILES,
  'go-test': ['**/*_test.go'],
}

const NODE: ProtectedPaths = {
  tests: [...NODE_FILES, '{test,tests,__tests__}/**', '**/__tests__/**', '**/__snapshots__/**'],
  configuration: [
    '**/node_modules',
    '**/node_modules/**',
    '**/.npmrc',
    '**/.yarnrc',
    '**/.yarnrc.yml',
    '**/.pnp.{js,cjs,loader.mjs}',
    '**/.pnpmfile.cjs',
    '**/bunfig.toml',
    '**/node.config.json',
    '**/.env',
    '**/.env.*',
    '**/.noderc',
  ],
}

const PYTHON: ProtectedPaths = {
  tests: [...TEST_FILES.pytest, '{test,tests}/**', '**/__pycache__/**'],
  configuration: [
    '**/{site-packages,dist-packages}',
    '**/{site-packages,dist-packages}/**',
    '**/conftest.py',
    '**/pytest.ini',
    '**/.pytest.ini',
    '**/tox.ini',
    '**/sitecustomize.py',
    '**/usercustomize.py',
    '**/*.pth',
    '**/*.egg-link',
    '**/*.{egg-info,dist-info}/**',
  ],
}

const withMore = (paths: ProtectedPaths, more: Partial<ProtectedPaths>): ProtectedPaths => ({
  tests: [...paths.tests, ...(more.tests ?? [])],
  configuration: [...paths.configuration, ...(more.configuration ?? [])],
})

const SCRIPT = '{js,cjs,mjs,ts,cts,mts}'
const TRANSPILER = ['**/.babelrc', `**/.babelrc.{js,cjs,mjs,json}`, '**/babel.config.{js,cjs,mjs,json,cts}']
const TYPESCRIPT = ['**/tsconfig.json', '**/tsconfig.*.json']

export const PROTECTED_PATHS: Readonly<Record<FrameworkName, ProtectedPaths>> = {
  pytest: PYTHON,
  'node-test': NODE,
  jest: withMore(NODE, {
    tests: ['**/__mocks__/**'],
    configuration: [
      `**/jest.config.{js,cjs,mjs,ts,cts,mts,json}`,
      '**/jest.setup.*',
      ...TRANSPILER,
      '**/.swcrc',
    ],
  }),
  vitest: withMore(NODE, {
    tests: ['**/__mocks__/**'],
    configuration: [
      `**/vitest.config.${SCRIPT}`,
      `**/vitest.workspace.{js,cjs,mjs,ts,cts,mts,json}`,
      `**/vite.config.${SCRIPT}`,
      '**/postcss.config.*',
      '**/.postcssrc*',
      ...TYPESCRIPT,
    ],
  }),
  mocha: withMore(NODE, {
    configuration: [
      '**/.mocharc',
      '**/.mocharc.{js,cjs,mjs,json,jsonc,yml,yaml}',
      '{test,tests}/mocha.opts',
      ...TRANSPILER,
    ],
  }),
  'go-test': {
    tests: [...TEST_FILES['go-test'], '**/testdata/**'],
    configuration: ['**/go.work', '**/go.work.sum', '**/go.env', '**/vendor/**', '**/.netrc'],
  },
}

const TEST_FOLDERS: ReadonlySet<string> = new Set(['test', 'tests', 'testing', 'spec', 'specs'])

/**
 * The folders that sealed files are tests of, wherever they stand: for `packages/a/test/unit/b.js` it is
 * `packages/a/test/`. What is beside the sealed files there serves them.
 * @param sealed paths in the tree.
 */
export function testFoldersOf(sealed: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of sealed) {
    const names = path.split('/').slice(0, -1)
    const top = names.findIndex((name) => TEST_FOLDERS.has(name.toLowerCase()))
    if (top !== -1) folders.add(`${names.slice(0, top + 1).join('/')}/`)
  }
  return folders
}

/**
 * Why a path is protected, or undefined when it is not. What is both counts as configuration.
 * @param folders of {@link testFoldersOf}.
 */
export function protectionOf(
  framework: FrameworkName,
  path: string,
  folders: ReadonlySet<string>,
): keyof ProtectedPaths | undefined {
  const { tests, configuration } = PROTECTED_PATHS[framework]
  if (configuration.some((glob) => globMatches(glob, path))) return 'configuration'
  const name = path.toLowerCase()
  const isTest =
    tests.some((glob) => globMatches(glob, path)) ||
    [...folders].some((folder) => name.startsWith(folder.toLowerCase()))
  return isTest ? 'tests' : undefined
}

/** Whether a path has the form of a file with tests, by its name alone. */
export function looksLikeTests(framework: FrameworkName, path: string): boolean {
  return TEST_FILES[framework].some((glob) => globMatches(glob, path))
}

const known = new Map<string, RegExp>()

/** `**` any folders (also none), `*` any part of a name, `{a,b}` either. Case is not looked at. */
export function globMatches(glob: string, path: string): boolean {
  let pattern = known.get(glob)
  if (pattern === undefined) {
    pattern = new RegExp(`^${patternOf(glob)}$`, 'is')
    known.set(glob, pattern)
  }
  return pattern.test(path)
}

function patternOf(glob: string): string {
  return glob.replaceAll(/\*\*\/|\*\*|\*|\{[^}]*\}|[^*{]/g, (part) => {
    if (part === '**/') return '(?:.*/)?'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part.startsWith('{')) return `(?:${part.slice(1, -1).split(',').map(literal).join('|')})`
    return literal(part)
  })
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
