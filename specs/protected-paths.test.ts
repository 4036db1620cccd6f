import { describe, expect, it } from 'vitest'
import { globMatches, looksLikeTests, protectionOf, testFoldersOf } from './protected-paths.ts'
import { FRAMEWORK_NAMES, type FrameworkName } from './suite.ts'

describe('protectionOf', () => {
  it.each<[FrameworkName, string, ReturnType<typeof protectionOf>]>([
    ['pytest', 'conftest.py', 'configuration'],
    ['pytest', 'a/b/conftest.py', 'configuration'],
    ['pytest', 'a/CONFTEST.py', 'configuration'],
    ['pytest', 'myconftest.py', undefined],
    ['pytest', 'pytest.ini', 'configuration'],
    ['pytest', 'lib/x.pth', 'configuration'],
    ['pytest', 'x.egg-info/entry_points.txt', 'configuration'],
    ['pytest', 'tests/helper.py', 'tests'],
    ['pytest', 'tests/conftest.py', 'configuration'],
    ['pytest', 'src/tests/helper.py', undefined],
    ['pytest', 'src/test_a.py', 'tests'],
    ['pytest', 'src/a.py', undefined],
    ['pytest', 'pyproject.toml', undefined],
    ['pytest', '.npmrc', undefined],
    ['node-test', 'package.json', undefined],
    ['node-test', 'a/.npmrc', 'configuration'],
    ['mocha', 'node_modules', 'configuration'],
    ['mocha', 'a/node_modules/chai/index.js', 'configuration'],
    ['pytest', 'x/site-packages/numpy.py', 'configuration'],
    ['node-test', '.env.local', 'configuration'],
    ['node-test', 'src/a.test.mts', 'tests'],
    ['node-test', 'src/a.test.md', undefined],
    ['node-test', 'src/__tests__/a.js', 'tests'],
    ['node-test', 'vitest.config.ts', undefined],
    ['vitest', 'packages/a/vitest.config.ts', 'configuration'],
    ['vitest', 'src/__mocks__/a.js', 'tests'],
    ['vitest', 'tsconfig.build.json', 'configuration'],
    ['jest', 'jest.config.js', 'configuration'],
    ['jest', '.babelrc', 'configuration'],
    ['mocha', '.mocharc.yml', 'configuration'],
    ['mocha', 'test/mocha.opts', 'configuration'],
    ['go-test', 'go.work', 'configuration'],
    ['go-test', 'a/b_test.go', 'tests'],
    ['go-test', 'go.mod', undefined],
  ])('of %s for %s is %s', (framework, path, expected) => {
    expect(protectionOf(framework, path, new Set())).toBe(expected)
  })

  it('is for what stands in a folder of tests that sealed files are in, wherever that is', () => {
    const folders = testFoldersOf(['packages/a/test/unit/x.test.js', 'src/b/c.test.js', 'Spec/d.js'])
    expect([...folders]).toEqual(['packages/a/test/', 'Spec/'])
    const of = (path: string) => protectionOf('node-test', path, folders)
    expect(of('packages/a/test/helper.js')).toBe('tests')
    expect(of('packages/A/Test/helper.js')).toBe('tests')
    expect(of('spec/helper.js')).toBe('tests')
    expect(of('packages/a/test/.npmrc')).toBe('configuration')
    expect(of('packages/b/test/helper.js')).toBeUndefined()
    expect(of('packages/a/testing.js')).toBeUndefined()
    expect(of('src/b/helper.js')).toBeUndefined()
  })

  it.each(FRAMEWORK_NAMES)('of %s knows the tests by their names', (framework) => {
    const names = {
      pytest: 'x/test_a.py',
      'node-test': 'x/a.test.js',
      jest: 'x/a.spec.tsx',
      vitest: 'x/a.test.ts',
      mocha: 'x/a.spec.cjs',
      'go-test': 'x/a_test.go',
    }
    expect(looksLikeTests(framework, names[framework])).toBe(true)
    expect(looksLikeTests(framework, 'tests/data/long.txt')).toBe(false)
    expect(looksLikeTests(framework, 'tests/helper.py')).toBe(false)
  })
})

describe('globMatches', () => {
  it.each<[string, string, boolean]>([
    ['**/a', 'a', true],
    ['**/a', 'x/y/a', true],
    ['**/a', 'xa', false],
    ['a/**', 'a/b/c', true],
    ['a/**', 'a', false],
    ['*.ini', 'a/b.ini', false],
    ['a.{x,y}', 'a.y', true],
    ['a.{x,y}', 'a.z', false],
    ['**/a.*', 'a.b\nc', true],
    ['a+(b)', 'a+(b)', true],
    ['a+(b)', 'aab', false],
  ])('%s of %j: %s', (glob, path, expected) => {
    expect(globMatches(glob, path)).toBe(expected)
  })
})
