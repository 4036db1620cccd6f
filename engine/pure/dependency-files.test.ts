import { describe, expect, it } from 'vitest'
import { dependencyFileKind, type DependencyFileKind } from './dependency-files.ts'

const KINDS: Readonly<Record<DependencyFileKind, readonly string[]>> = {
  'package-manifest': ['package.json', 'a/b/PACKAGE.json'],
  'package-lock': ['package-lock.json', 'a/npm-shrinkwrap.json'],
  'other-manifest': [
    'pnpm-workspace.yaml',
    'deno.json',
    'deno.jsonc',
    'environment.yml',
    'envs/environment.yaml',
  ],
  'other-lock': [
    'yarn.lock',
    'pnpm-lock.yaml',
    'bun.lock',
    'poetry.lock',
    'pdm.lock',
    'uv.lock',
    'pylock.toml',
    'deno.lock',
    'go.mod',
    'sub/go.sum',
    'go.work',
    'go.work.sum',
  ],
  requirements: [
    'requirements.txt',
    'requirements-dev.in',
    'docs/requirements/x.txt',
    'constraints.txt',
    'ci/constraints-3.12.txt',
  ],
  pyproject: ['pyproject.toml'],
  'setup-cfg': ['setup.cfg'],
  'setup-script': ['setup.py'],
  pipfile: ['Pipfile'],
  'installed-file': [
    'node_modules',
    'packages/a/Node_Modules',
    'node_modules/a/package.json',
    'lib/site-packages/x.py',
    '.pnp.cjs',
    '.pnp.js',
    '.pnp.loader.mjs',
    'packages/a/.pnp.data.json',
    '.yarn',
    '.yarn/cache/ms-npm-2.1.3-81ff3cfac1.zip',
    '.yarn/cache',
    '.yarn/unplugged/esbuild/x.js',
    '.yarn/patches/ms.patch',
    'vendor',
    'vendor/modules.txt',
    'vendor/github.com/a/b/c.go',
    'vendor/golang.org/x/sys/unix/asm.s',
    'cmd/vendor/local/a.go',
  ],
}

describe('a file says something of dependencies by its name:', () => {
  it.each(Object.entries(KINDS).flatMap(([kind, paths]) => paths.map((path) => [path, kind])))(
    '%s is %s',
    (path, kind) => {
      expect(dependencyFileKind(path)).toBe(kind)
    },
  )

  it.each([
    'package.json.md',
    'package.json/x',
    'src/requirements.ts',
    'my-requirements.txt',
    'docs/constraints.md',
    'constructor',
    'deno.ts',
    'environment.ts',
    'src/pnp.cjs',
    '.yarn/versions/a.yml',
    'assets/vendor/jquery.min.js',
    'vendor/autoload.php',
    'vendors/github.com/a/b/c.go',
    'go.mod.txt',
  ])('%s says nothing', (path) => {
    expect(dependencyFileKind(path)).toBeUndefined()
  })
})
