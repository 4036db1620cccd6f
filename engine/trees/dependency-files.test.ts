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
  expect(files.map(({ path, base: before, output: after }) => [path, before, after])).toEqual([
    ['n/yarn.lock', undefined, 'new'],
    ['package.json', '{"a":1}', '(not a regular file)'],
    ['requirements.txt', '', '(not a regular file)'],
    ['setup.py', 'x', undefined],
  ])
  const change = dependencyChange(files.slice(1, 3), [{ name: 'requests', version: '1.0.0' }])
  expect(change).toMatchObject({ kind: 'changed', satisfied: false })
})
