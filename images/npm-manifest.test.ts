import { describe, expect, test } from 'vitest'
import { installedByNpm, planNpm } from './npm-manifest.ts'

const json = (data: unknown) => Buffer.from(JSON.stringify(data))
const entry = { version: '1.0.0', integrity: 'sha512-x' }
const lockfile = (packages: unknown) => json({ lockfileVersion: 3, packages })

describe('what npm installs', () => {
  test.each([
    ['no manifest', {}],
    ['no dependencies', { 'package.json': json({ name: 'a' }) }],
    ['development dependencies only', { 'package.json': json({ devDependencies: { a: '1' } }) }],
    ['an empty table', { 'package.json': json({ dependencies: {} }) }],
  ])('nothing: %s', (_, manifests) => {
    expect(planNpm(manifests)).toBeUndefined()
  })

  test.each(['dependencies', 'optionalDependencies', 'peerDependencies'])('something: %s', (kind) => {
    expect(planNpm({ 'package.json': json({ [kind]: { a: '^1' } }) })).toMatchObject({ locked: false })
  })

  test('without a lockfile development dependencies and scripts are left out', () => {
    const manifest = { dependencies: { a: '1' }, devDependencies: { b: '1' }, scripts: { test: 'x' } }
    const plan = planNpm({ 'package.json': json(manifest) })
    expect(JSON.parse(plan?.files['package.json'] ?? '')).toEqual({ dependencies: { a: '1' } })
  })

  test('development dependencies are taken where they are wanted, and then pinned like others', () => {
    const manifests = { 'package.json': json({ devDependencies: { b: '1' }, scripts: { test: 'x' } }) }
    const plan = planNpm(manifests, true)
    expect(plan).toMatchObject({ locked: false, dev: true })
    expect(JSON.parse(plan?.files['package.json'] ?? '')).toEqual({ devDependencies: { b: '1' } })
    const unpinned = { ...manifests, 'package-lock.json': lockfile({ 'node_modules/b': { dev: true } }) }
    expect(() => planNpm(unpinned, true)).toThrow(/packages\["node_modules\/b"\] has no integrity/)
    expect(() => planNpm({ 'package.json': json({ devDependencies: { b: './b' } }) }, true)).toThrow(
      /devDependencies\.b is/,
    )
  })

  test('npm-shrinkwrap.json goes before package-lock.json, as it does in npm', () => {
    const plan = planNpm({
      'package.json': json({ dependencies: { a: '1' } }),
      'package-lock.json': lockfile({}),
      'npm-shrinkwrap.json': lockfile({ 'node_modules/a': entry }),
    })
    expect(plan?.locked).toBe(true)
    expect(plan?.files['package-lock.json']).toContain('node_modules/a')
  })

  test.each([
    'file:../a',
    'link:a',
    'git+ssh://git@host/a.git',
    'github:a/b',
    'a/b',
    'https://host/a.tgz',
    '../a',
    './a',
    '/a',
    'workspace:*',
  ])('%s is refused, with the field', (range) => {
    const manifests = { 'package.json': json({ dependencies: { a: range } }) }
    expect(() => planNpm(manifests)).toThrow(/package\.json: dependencies\.a is/)
  })

  test.each(['^1.2.3', '1.x || >=2', 'latest', 'npm:b@^1', 'npm:@scope/b@1', '*', ''])(
    '"%s" is taken',
    (range) => {
      expect(planNpm({ 'package.json': json({ dependencies: { a: range } }) })).toBeDefined()
    },
  )

  test('a locked package without integrity is refused, unless it is for development or bundled', () => {
    const manifests = (packages: unknown) => ({
      'package.json': json({ dependencies: { a: '1' } }),
      'package-lock.json': lockfile(packages),
    })
    expect(() => planNpm(manifests({ 'node_modules/a': { resolved: 'git+https://x' } }))).toThrow(
      /package-lock\.json: packages\["node_modules\/a"\] has no integrity/,
    )
    expect(() => planNpm(manifests({ 'node_modules/a': { ...entry, link: true } }))).toThrow(/no integrity/)
    const fine = { '': {}, 'node_modules/a': { dev: true }, 'node_modules/b': { inBundle: true } }
    expect(planNpm(manifests(fine))).toBeDefined()
  })

  test.each([
    ['not JSON', Buffer.from('{'), /package\.json: not JSON/],
    ['a list', json([]), /package\.json: /],
    ['numbers for versions', json({ dependencies: { a: 1 } }), /package\.json: dependencies\.a: /],
  ])('a manifest that is %s is a configuration fault', (_, bytes, message) => {
    expect(() => planNpm({ 'package.json': bytes })).toThrow(message)
  })

  test('what was installed: nested, scoped and aliased packages, sorted, once each', () => {
    const record = {
      lockfileVersion: 3,
      packages: {
        'node_modules/b': { version: '2.0.0' },
        'node_modules/b/node_modules/@s/a': { version: '1.0.0' },
        'node_modules/c/node_modules/b': { version: '2.0.0' },
        'node_modules/alias': { name: 'real', version: '3.0.0' },
      },
    }
    expect(installedByNpm(JSON.stringify(record))).toEqual([
      { name: '@s/a', version: '1.0.0' },
      { name: 'b', version: '2.0.0' },
      { name: 'real', version: '3.0.0' },
    ])
  })
})
