import { expect, test, vi } from 'vitest'
import { bytesOf, file, storeForTest } from './testing/store-for-test.ts'

vi.setConfig({ testTimeout: 60_000 })
const { store } = await storeForTest()

async function contents(tree: string): Promise<Record<string, string>> {
  const entries = await store.list(tree)
  const texts = entries.map(async ({ path }) => [
    path,
    Buffer.from((await store.readFile(tree, path)) ?? 'a link').toString(),
  ])
  return Object.fromEntries((await Promise.all(texts)) as [string, string][])
}

test('files are laid over an output whatever it has in their way, and no link is followed', async () => {
  const base = await store.writeTree([
    file('conf', 'base'),
    file('tests/a', 'base'),
    file('run.sh', 'base', '100755'),
  ])
  const output = await store.writeTree([
    file('conf', 'mine'),
    file('tests', '../elsewhere', '120000'),
    file('run.sh', 'mine', '100755'),
    file('new/conf', 'mine'),
    file('odd "name"\n', 'mine'),
  ])
  const files = new Map([
    ['tests/b/c', Buffer.from('sealed')],
    ['empty', Buffer.alloc(0)],
  ])
  const isProtected = (path: string) => path === 'conf' || path.endsWith('/conf')
  const { tree, replaced } = await store.overlay({ output, base, files, isProtected })
  expect(await contents(tree)).toEqual({
    conf: 'base',
    empty: '',
    'odd "name"\n': 'mine',
    'run.sh': 'mine',
    'tests/b/c': 'sealed',
  })
  expect(replaced).toEqual(['conf', 'new/conf', 'tests'])
  expect((await store.list(tree)).find(({ path }) => path === 'run.sh')?.mode).toBe('100755')
  // It is a tree like any other: kept, and laid out as a tar.
  expect(await store.has(tree)).toBe(true)
  expect((await bytesOf(store.tar(tree, { uid: 0, gid: 0 }))).length).toBeGreaterThan(0)
})

test('a sealed file has the mode of base’s, and none of the output’s', async () => {
  const base = await store.writeTree([file('tests/run.sh', 'base', '100755'), file('plain', 'base')])
  const output = await store.writeTree([
    file('tests/run.sh', 'mine'),
    file('plain', 'mine', '100755'),
    file('new', 'mine', '100755'),
  ])
  const files = new Map(['tests/run.sh', 'plain', 'new'].map((path) => [path, Buffer.from('sealed')]))
  const { tree } = await store.overlay({ output, base, files, isProtected: () => false })
  expect((await store.list(tree)).map(({ path, mode }) => [path, mode])).toEqual([
    ['new', '100644'],
    ['plain', '100644'],
    ['tests/run.sh', '100755'],
  ])
})

test('the same is the same tree, and with nothing to lay it is the output', async () => {
  const base = await store.writeTree([file('a', '1')])
  const output = await store.writeTree([file('a', '2')])
  const overlay = { output, base, files: new Map([['b', Buffer.from('x')]]), isProtected: () => false }
  expect(await store.overlay(overlay)).toEqual(await store.overlay(overlay))
  expect(await store.overlay({ ...overlay, files: new Map() })).toEqual({ tree: output, replaced: [] })
})
