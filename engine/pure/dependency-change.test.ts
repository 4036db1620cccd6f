import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { dependencyChange, type DependencyChange } from './dependency-change.ts'
import { satisfiesPython } from './python-requirements.ts'

const INSTALLED = [
  { name: 'ms', version: '2.1.3' },
  { name: 'qs', version: '6.5.3' },
  { name: 'qs', version: '6.13.0' },
  { name: '@scope/a', version: '1.0.0' },
  { name: 'node', version: '24.1.0' },
  { name: 'Flask_Login', version: '0.6.3' },
  { name: 'requests', version: '2.31.0' },
]
const change = (path: string, base?: string, output?: string): DependencyChange =>
  dependencyChange([{ path, base, output }], INSTALLED)
/** In short: `none`, `named`, `satisfied`, or what is missing. */
function verdict(path: string, base?: string, output?: string): string {
  const outcome = change(path, base, output)
  if (outcome.kind !== 'changed') return outcome.kind
  const missing = outcome.missing.map(
    ({ name, wanted, installed }) => `${name} ${wanted} (${installed ?? 'none'})`,
  )
  expect(outcome.satisfied).toBe(missing.length === 0)
  return outcome.satisfied ? 'satisfied' : `missing ${missing.join('; ')}`
}

describe('hostile text is read in no time, and as unreadable', () => {
  const deep = (open: string, close: string) => `${open.repeat(100_000)}0${close.repeat(100_000)}`
  test.each([
    ['package.json', '{}', `{"engines":${deep('[', ']')}}`],
    ['package.json', '{}', `{"dependencies":${deep('{"a":', '}')}}`],
    ['package-lock.json', '{"packages":{}}', `{"packages":${deep('{"a":', '}')}}`],
    ['pyproject.toml', '[project]\n', `[project]\nkeywords = [${'"a"  '.repeat(10_000)}x`],
    ['requirements.txt', '', `${'a'.repeat(200_000)}@`],
    ['setup.cfg', '', `[${'a'.repeat(200_000)}\n`],
  ])('%s', (path, base, output) => {
    expect(change(path, base, output)).toMatchObject({ kind: 'changed', satisfied: false })
  })
})

describe('package.json', () => {
  const base = {
    name: 'p',
    version: '1.0.0',
    dependencies: { ms: '^2.0.0' },
    devDependencies: { vitest: '5' },
  }
  const opaque = 'as the output has it, which a list of installed packages cannot show (none)'
  const rows: readonly [string, object, string][] = [
    ['the same', {}, 'none'],
    ['another version of its own', { version: '2.0.0' }, 'named'],
    ['another name', { name: 'q' }, 'named'],
    [
      'the name of an installed package',
      { name: 'qs' },
      'missing qs the installed package, which this one has taken the name of (6.5.3, 6.13.0)',
    ],
    ['another description and script', { description: 'x', scripts: { test: 'x' } }, 'named'],
    ['another development dependency', { devDependencies: { evil: '1' } }, 'named'],
    ['an empty field more', { optionalDependencies: {}, bundleDependencies: [] }, 'named'],
    ['a wider range that holds', { dependencies: { ms: '>=1' } }, 'satisfied'],
    ['a dependency less', { dependencies: {} }, 'satisfied'],
    ['a dependency more that the image has', { dependencies: { ms: '^2.0.0', qs: '~6.13.0' } }, 'satisfied'],
    ['one of two installed versions will do', { dependencies: { qs: '6.5.x' } }, 'satisfied'],
    ['a scoped dependency', { dependencies: { '@scope/a': '1' } }, 'satisfied'],
    ['a range that does not hold', { dependencies: { ms: '^3.0.0' } }, 'missing ms ^3.0.0 (2.1.3)'],
    ['a dependency that is not there', { dependencies: { ms: '2', left: '*' } }, 'missing left * (none)'],
    [
      'a git address',
      { dependencies: { ms: 'git+https://example.com/ms.git' } },
      'missing ms git+https://example.com/ms.git (2.1.3)',
    ],
    [
      'an alias to another package',
      { dependencies: { ms: 'npm:evil@2.1.3' } },
      'missing ms npm:evil@2.1.3 (2.1.3)',
    ],
    ['a file', { dependencies: { ms: 'file:../ms' } }, 'missing ms file:../ms (2.1.3)'],
    ['a tag', { dependencies: { ms: 'latest' } }, 'missing ms latest (2.1.3)'],
    ['a range that is no text', { dependencies: { ms: 2 } }, 'missing ms 2 (2.1.3)'],
    ['an optional dependency that is not there', { optionalDependencies: { fsevents: '2' } }, 'satisfied'],
    [
      'an optional dependency at another version',
      { optionalDependencies: { ms: '3' } },
      'missing ms 3 (2.1.3)',
    ],
    ['a peer that is not there', { peerDependencies: { react: '19' } }, 'missing react 19 (none)'],
    [
      'an optional peer that is not there',
      { peerDependencies: { react: '19' }, peerDependenciesMeta: { react: { optional: true } } },
      'satisfied',
    ],
    ['overrides', { overrides: { ms: '2.1.3' } }, `missing overrides ${opaque}`],
    ['resolutions', { resolutions: { ms: '2.1.3' } }, `missing resolutions ${opaque}`],
    ['bundled dependencies', { bundleDependencies: ['ms'] }, `missing bundleDependencies ${opaque}`],
    ['workspaces', { workspaces: ['a'] }, `missing workspaces ${opaque}`],
    ['an engine that the image has', { engines: { node: '>=20', npm: '99' } }, 'satisfied'],
    ['an engine that it does not have', { engines: { node: '>=26' } }, 'missing node >=26 (24.1.0)'],
    [
      'dependencies that are a list',
      { dependencies: ['ms'] },
      'missing dependencies an object of names and ranges (none)',
    ],
  ]
  test.each(rows)('%s', (_, output, expected) => {
    expect(verdict('a/package.json', JSON.stringify(base), JSON.stringify({ ...base, ...output }))).toBe(
      expected,
    )
  })
  test('keys in another order, and another layout', () => {
    const turned = Object.fromEntries(Object.entries(base).toReversed())
    expect(verdict('package.json', JSON.stringify(base), JSON.stringify(turned, null, 2))).toBe('named')
  })
  test('malformed or no object', () => {
    for (const text of ['{', '[]', 'null', '"x"', '']) {
      expect(verdict('package.json', '{}', text)).toBe('missing package.json a JSON object (none)')
    }
  })
  test('base was malformed and the output mends it', () => {
    expect(verdict('package.json', '{', '{"dependencies":{"ms":"2"}}')).toBe('satisfied')
  })
  test('new, and gone', () => {
    expect(verdict('x/package.json', undefined, '{"type":"module"}')).toBe('named')
    expect(verdict('x/package.json', undefined, '{"dependencies":{"no":"1"}}')).toBe('missing no 1 (none)')
    expect(verdict('package.json', JSON.stringify(base), undefined)).toBe('satisfied')
  })
  test('a file where packages are installed shadows or is a dependency', () => {
    for (const path of [
      'node_modules/ms/index.js',
      'lib/node_modules/a.js',
      'site-packages/x/package.json',
    ]) {
      expect(verdict(path, undefined, '{}')).toMatch(/^missing/)
    }
    // What yarn and Go install.
    expect(verdict('.pnp.cjs', 'a', 'b')).toMatch(/^missing/)
    expect(verdict('vendor/example.org/a/a.go', 'a', 'b')).toMatch(/^missing/)
    // A link of that name leads to what it likes.
    expect(verdict('docs/node_modules', undefined, 'a link')).toMatch(/^missing/)
  })
  test('a name of an object of ours is a name like any other', () => {
    const text = '{"peerDependencies":{"constructor":"1"},"dependencies":{"__proto__":"1"}}'
    expect(verdict('package.json', '{}', text)).toBe('missing __proto__ 1 (none); constructor 1 (none)')
  })
})

describe('package-lock.json', () => {
  const ms = { version: '2.1.3', resolved: 'https://registry.example/ms-2.1.3.tgz', integrity: 'sha512-a' }
  const lock = (packages: object): string =>
    JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...packages } })
  const base = lock({ 'node_modules/ms': ms })
  const rows: readonly [string, string | undefined, string][] = [
    ['the same', base, 'none'],
    ['another layout: any byte is a change', `${base}\n`, 'satisfied'],
    [
      'a package more that the image has',
      lock({ 'node_modules/ms': ms, 'node_modules/a/node_modules/qs': { version: '6.5.3' } }),
      'satisfied',
    ],
    [
      'a package at another version',
      lock({ 'node_modules/ms': { ...ms, version: '2.1.2' } }),
      'missing ms 2.1.2 (2.1.3)',
    ],
    [
      'a package that is not there',
      lock({ 'node_modules/@x/y': { version: '1.0.0' } }),
      'missing @x/y 1.0.0 (none)',
    ],
    [
      'a development package that is not there',
      lock({ 'node_modules/v': { version: '1.0.0', dev: true } }),
      'satisfied',
    ],
    [
      'an optional package that is not there',
      lock({ 'node_modules/v': { version: '1.0.0', optional: true } }),
      'satisfied',
    ],
    ['an alias', lock({ 'node_modules/ms': { version: '1.0.0', name: '@scope/a' } }), 'satisfied'],
    ['a workspace', lock({ 'packages/w': { version: '9.9.9' } }), 'satisfied'],
    ['a link', lock({ 'node_modules/w': { link: true } }), 'missing w a link (none)'],
    [
      'the same version from elsewhere',
      lock({ 'node_modules/ms': { ...ms, resolved: 'https://evil.example/ms-2.1.3.tgz' } }),
      'missing ms 2.1.3 from https://evil.example/ms-2.1.3.tgz sha512-a (2.1.3)',
    ],
    [
      'the same version with other bytes',
      lock({ 'node_modules/ms': { ...ms, integrity: 'sha512-b' } }),
      'missing ms 2.1.3 from https://registry.example/ms-2.1.3.tgz sha512-b (2.1.3)',
    ],
    [
      'a package more from a repository',
      lock({ 'node_modules/qs': { version: '6.13.0', resolved: 'git+ssh://git@h/qs.git#1' } }),
      'missing qs 6.13.0 from git+ssh://git@h/qs.git#1  (6.5.3, 6.13.0)',
    ],
    [
      'version 1, nested',
      JSON.stringify({
        lockfileVersion: 1,
        dependencies: { ms: { ...ms, dependencies: { no: { version: '1.0.0' } } } },
      }),
      'missing no 1.0.0 (none)',
    ],
    ['malformed', '{', 'missing package-lock.json a lockfile that npm could have written (none)'],
    [
      'of no known version',
      '{"packages":[]}',
      'missing package-lock.json a lockfile that npm could have written (none)',
    ],
    ['gone', undefined, 'missing package-lock.json a lockfile that npm could have written (none)'],
  ]
  test.each(rows)('%s', (_, output, expected) => {
    expect(verdict('package-lock.json', base, output)).toBe(expected)
  })
})

describe('Python', () => {
  const rows: readonly [string, string, string, string, string][] = [
    [
      'a comment in requirements',
      'requirements.txt',
      'requests==2.31.0\n',
      '# why\nrequests==2.31.0  # x\n',
      'named',
    ],
    ['another order', 'requirements-dev.txt', 'a\nb\n', 'b\na\n', 'named'],
    [
      'a requirement that holds',
      'requirements.txt',
      '',
      'requests[socks] >=2.30, <3 ; python_version > "3"\n',
      'satisfied',
    ],
    ['a name in another spelling', 'requirements/base.txt', '', 'flask.login~=0.6.0', 'satisfied'],
    [
      'a version that does not hold',
      'requirements.txt',
      '',
      'requests==2.32.0',
      'missing requests ==2.32.0 (2.31.0)',
    ],
    ['a package that is not there', 'requirements.txt', '', 'numpy', 'missing numpy any version (none)'],
    [
      'another index',
      'requirements.txt',
      '',
      '--index-url https://evil.example\nrequests',
      'missing --index-url https://evil.example a name with versions (none)',
    ],
    [
      'an address',
      'requirements.txt',
      '',
      'requests @ https://evil.example/r.whl',
      'missing requests @ https://evil.example/r.whl a name with versions (none)',
    ],
    [
      'another file',
      'requirements.txt',
      '',
      '-r more.txt',
      'missing -r more.txt a name with versions (none)',
    ],
    [
      'a line that goes on',
      'requirements.txt',
      '',
      'requests \\\n  ==1.0',
      'missing requests ==1.0 (2.31.0)',
    ],
    [
      'a description in pyproject',
      'pyproject.toml',
      '[project]\nversion = "1"\ndependencies = []\n',
      '[project]\nversion = "2"  # x\ndependencies = []\n',
      'named',
    ],
    [
      'a table of a tool in pyproject',
      'pyproject.toml',
      '[project]\n',
      '[project]\n[tool.ruff.lint]\nselect = ["E"]\n',
      'named',
    ],
    [
      'a section of a tool in setup.cfg',
      'setup.cfg',
      '[options]\n',
      '[options]\n[flake8]\nmax = 9\n',
      'named',
    ],
    [
      'a development package in a Pipfile',
      'Pipfile',
      '[packages]\n',
      '[packages]\n[dev-packages]\nx = "*"\n',
      'named',
    ],
  ]
  test.each(rows)('%s', (_, path, base, output, expected) => {
    expect(verdict(path, base, output)).toBe(expected)
  })
  const opaque: readonly [string, string, string, string][] = [
    ['a dependency in pyproject', 'pyproject.toml', '[project]\n', '[project]\ndependencies = ["evil"]\n'],
    [
      'a dependency beside a description',
      'pyproject.toml',
      '[project]\n',
      '[project]\nversion = "1"\ndependencies = ["evil"]\n',
    ],
    ['a build requirement', 'pyproject.toml', '', '[build-system]\nrequires = ["evil"]\n'],
    [
      'a dependency after a header within a string',
      'pyproject.toml',
      '',
      'x = """\n[tool.ruff]\n"""\n[project]\ndependencies = ["evil"]\n',
    ],
    ['a dependency of poetry', 'pyproject.toml', '', '[tool.poetry.dependencies]\nevil = "*"\n'],
    [
      'a description that is no plain text',
      'pyproject.toml',
      '[project]\n',
      '[project]\nreadme = {file = "x"}\n',
    ],
    ['a requirement in setup.cfg', 'setup.cfg', '', '[options]\ninstall_requires =\n  evil\n'],
    [
      'a requirement in setup.cfg after an indented header',
      'setup.cfg',
      '[options]\nx =\n',
      '[options]\nx =\n  [flake8]\n  evil\n',
    ],
    ['a package in a Pipfile', 'Pipfile', '[packages]\n', '[packages]\nevil = "*"\n'],
    ['setup.py', 'setup.py', 'a', 'b'],
    ...[
      'yarn.lock',
      'pnpm-lock.yaml',
      'bun.lock',
      'poetry.lock',
      'uv.lock',
      'Pipfile.lock',
      'go.mod',
      'go.sum',
    ].map((name): [string, string, string, string] => [name, name, 'a', 'b']),
  ]
  test.each(opaque)('%s is not looked into, and never satisfied', (_, path, base, output) => {
    expect(verdict(path, base, output)).toBe(
      `missing ${path} as the output has it, which is not looked into (none)`,
    )
  })
  test.each([
    ['2.31.0', '==2.31', true],
    ['2.31.0', '==2.*', true],
    ['2.31.0', '!=2.31.*', false],
    ['2.31.0', '~=2.4', true],
    ['3.0', '~=2.4', false],
    ['2.9', '<2.10', true],
    ['2.9', '>=2.10', false],
    ['2.9', '===2.9.0', false],
    ['2.9', '~=2', false],
    ['2.9rc1', '>=2', false],
    ['2.9', '>=2.0rc1', false],
    ['2.9', '>=2.*', false],
    ['2.9', '', true],
  ])('%s within %s: %s', (version, specifiers, expected) => {
    expect(satisfiesPython(version, specifiers)).toBe(expected)
  })
})

test('of several files all are listed, and one that is not satisfied is enough', () => {
  const files = [
    { path: 'setup.py', base: 'a', output: 'b' },
    { path: 'package.json', base: '{}', output: '{"version":"1"}' },
    { path: 'README.md', base: 'a', output: 'b' },
  ]
  expect(dependencyChange(files, INSTALLED)).toMatchObject({
    kind: 'changed',
    satisfied: false,
    paths: ['package.json', 'setup.py'],
  })
  expect(dependencyChange(files.slice(1), INSTALLED)).toEqual({ kind: 'named', paths: ['package.json'] })
  expect(dependencyChange(files.slice(2), INSTALLED)).toEqual({ kind: 'none' })
})

const kinds = [
  'package.json',
  'package-lock.json',
  'requirements.txt',
  'pyproject.toml',
  'setup.cfg',
  'Pipfile',
]
const content = fc.option(
  fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom('[project]\nversion = "1"', '{"dependencies":{"ms":"2"}}'),
  ),
  { nil: undefined },
)
property.prop([fc.constantFrom(...kinds), content, content])(
  'any content at all has an answer, and the same has none',
  (path, base, output) => {
    expect(['none', 'named', 'changed']).toContain(change(path, base, output).kind)
    expect(change(path, base, base)).toEqual({ kind: 'none' })
  },
)
