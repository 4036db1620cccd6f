import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GitTreeStore, type NewFile } from './git-tree-store.ts'

const run = promisify(execFile)
const OWNER = { uid: 1000, gid: 1000 }
let root: string
let store: GitTreeStore

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-store-'))
  store = await GitTreeStore.open(join(root, 'store.git'))
})
afterAll(async () => {
  await rm(root, { recursive: true, force: true })
})

const file = (path: string, content: string, mode: NewFile['mode'] = '100644'): NewFile => ({
  path,
  mode,
  content: Buffer.from(content),
})
async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
async function unpack(...tars: Buffer[]): Promise<string> {
  const folder = await mkdtemp(join(root, 'unpacked-'))
  for (const [index, tar] of tars.entries()) {
    await writeFile(join(root, `t${index}.tar`), tar)
    await run('tar', ['-xf', join(root, `t${index}.tar`), '-C', folder, '--no-same-owner'])
  }
  return folder
}

describe('a tree that is written', () => {
  test('has the id that git gives it, whatever the order of its files', async () => {
    const files = [file('b/é\n"x\\', 'one'), file('a', 'two', '100755'), file('l', 'b', '120000')]
    const tree = await store.writeTree(files)
    expect(await store.writeTree(files.toReversed())).toBe(tree)
    expect(await store.list(tree)).toMatchObject([
      { path: 'a', mode: '100755', sizeBytes: 3 },
      { path: 'b/é\n"x\\', mode: '100644', sizeBytes: 3 },
      { path: 'l', mode: '120000', sizeBytes: 1 },
    ])
  })
  test('may be empty', async () => {
    const tree = await store.writeTree([])
    expect(tree).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
    expect(await store.list(tree)).toEqual([])
  })
})
test('comes out as the same bytes each time, and as a repository that is clean', async () => {
  const tree = await store.writeTree([
    file('.gitattributes', '* export-ignore\n*.txt text eol=crlf ident\n'),
    file('a.txt', '$Id$\nx\r\n'),
    file('d/e/x', 'z'.repeat(100000)),
    file('l', 'b', '120000'),
  ])
  const tar = await bytesOf(store.tar(tree, OWNER))
  expect(await bytesOf(store.tar(tree, OWNER))).toEqual(tar)
  const dir = await unpack(tar, await bytesOf(store.oneCommitRepository(tree, OWNER)))
  const status = await run('git', ['status', '--porcelain', '-b'], { cwd: dir })
  expect(status.stdout).toBe('## main\n')
})
