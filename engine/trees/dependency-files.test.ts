import { expect, test } from 'vitest'
import { dependencyChange } from '../pure/dependency-change.ts'
import { changedDependencyFiles } from './dependency-files.ts'
import { file, storeForTest } from './testing/store-for-test.ts'

const { store } = await storeForTest()

test('the manifests that differ come with both contents; one that is a link counts as unreadable', async () => {
  const same = [file('same/package.json', '{}'), file('src.js', 'x')]
  const base = await store.writeTree([
    ...same,
    file('package.json', '{"a":1}'),
    file('setup.py', 'x'),
    file('requirements.txt', ''),
  ])
  const output = await store.writeTree([
    ...same.slice(0, 1),
    file('src.js', 'y'),
    file('package.json', 'elsewhere.json', '120000'),
    file('requirements.txt', 'requests', '120000'),
    file('n/yarn.lock', 'new'),
  ])
  const files = await changedDependencyFiles(store, base, output)
  const link = expect.stringMatching(/^\(not a regular file: [0-9a-f]{40}\)$/) as string
  expect(files.map(({ path, base: before, output: after }) => [path, before, after])).toEqual([
    ['n/yarn.lock', undefined, 'new'],
    ['package.json', '{"a":1}', link],
    ['requirements.txt', '', link],
    ['setup.py', 'x', undefined],
  ])
  const change = dependencyChange(files.slice(1, 3), [{ name: 'requests', version: '1.0.0' }])
  expect(change).toMatchObject({ kind: 'changed', satisfied: false })
})

test('what is too large is not read, and counts as another than base has all the same', async () => {
  const lock = (bytes: number, fill: string) => file('package-lock.json', fill.repeat(bytes))
  const base = await store.writeTree([lock(9_000_000, ' ')])
  const output = await store.writeTree([lock(9_000_000, 'x')])
  const files = await changedDependencyFiles(store, base, output)
  expect(files[0]?.output).toMatch(/^\(too large to read: [0-9a-f]{40}\)$/)
  expect(dependencyChange(files, [])).toMatchObject({ kind: 'changed', satisfied: false })
})

test('many are read until there is enough in memory', async () => {
  const base = await store.writeTree([])
  const many = Array.from({ length: 6 }, (_, index) =>
    file(`p${index}/package.json`, `{"x":"${'y'.repeat(7_000_000)}${index}"}`),
  )
  const files = await changedDependencyFiles(store, base, await store.writeTree(many))
  expect(files.filter(({ output }) => output?.startsWith('{')).map(({ path }) => path)).toHaveLength(4)
})
