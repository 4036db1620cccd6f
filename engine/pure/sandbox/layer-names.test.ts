import { test as property, fc } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { foldersOf, isBehindLink, layerName } from './layer-names.ts'

test.each([
  ['', 'a.txt', 'a.txt'],
  ['', './', ''],
  ['v', './', 'v'],
  ['v', './a/b/', 'v/a/b'],
  ['v/deep', 'a//./b', 'v/deep/a/b'],
  ['v', '..a/...', 'v/..a/...'],
])('under %j, %j is %j', (folder, name, merged) => expect(layerName(folder, name)).toBe(merged))

test.each(['../x', 'a/../../x', '..', '/etc/passwd', 'a/..'])('%j is refused', (name) => {
  expect(() => layerName('v', name)).toThrow(expect.objectContaining({ code: 'bug/volume-entry' }) as Error)
})

property.prop([fc.string()])('whatever an entry is called, it stays in its folder or is refused', (name) => {
  let merged: string
  try {
    merged = layerName('v/x', name)
  } catch {
    return
  }
  expect(merged === 'v/x' || merged.startsWith('v/x/')).toBe(true)
  expect(merged.split('/')).not.toContain('..')
})

test('the folders above a layer come outermost first', () => {
  expect(foldersOf('')).toEqual([])
  expect(foldersOf('a/b/c')).toEqual(['a', 'a/b', 'a/b/c'])
})

test.each([
  ['a/b', ['a'], true],
  ['a/b/c', ['a/b'], true],
  ['a', ['a'], false],
  ['ab/c', ['a'], false],
  ['a/b', [], false],
])('%j with links at %j: behind one is %s', (name, links, expected) => {
  expect(isBehindLink(name, new Set(links))).toBe(expected)
})
