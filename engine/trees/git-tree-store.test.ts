import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test, vi } from 'vitest'
import type { TreeId } from '../../specs/digest.ts'
import { DEFAULT_TREE_CAPS } from '../pure/tree-caps.ts'
import { GitTreeStore, type NewFile } from './git-tree-store.ts'
import { git } from './git.ts'
import { bytesOf, file, inPieces, storeForTest } from './testing/store-for-test.ts'
import { treeFromTar } from './tree-from-tar.ts'

// Every case starts git a few times.
vi.setConfig({ testTimeout: 60_000 })

const run = promisify(execFile)
const OWNER = { uid: 1000, gid: 1001 }
const { root, store } = await storeForTest()

/** Unpacks with another program than ours. */
async function unpack(...tars: readonly Buffer[]): Promise<string> {
  const folder = await mkdtemp(join(root, 'unpacked-'))
  for (const tar of tars) {
    const archive = join(root, 'archive.tar')
    await writeFile(archive, tar)
    await run('tar', ['-xf', archive, '-C', folder, '--no-same-owner'])
  }
  return folder
}
const looseAndPacked = async (): Promise<string> =>
  (await git(['count-objects', '-v'], { gitDirectory: store.directory })).toString('utf8')

describe('writing a tree', () => {
  test('gives the id that git gives, whatever the order of the files', async () => {
    const files = [file('b/é\n"x\\', 'one'), file('a', 'two', '100755'), file('l', 'b', '120000')]
    const tree = await store.writeTree(files)
    expect(await store.writeTree(files.toReversed())).toBe(tree)
    expect(await store.list(tree)).toMatchObject([
      { path: 'a', mode: '100755', sizeBytes: 3 },
      { path: 'b/é\n"x\\', mode: '100644', sizeBytes: 3 },
      { path: 'l', mode: '120000', sizeBytes: 1 },
    ])
    const folder = await unpack(await bytesOf(store.tar(tree, OWNER)))
    await run('git', ['init', '-q'], { cwd: folder })
    await run('git', ['add', '-A'], { cwd: folder })
    expect((await run('git', ['write-tree'], { cwd: folder })).stdout.trim()).toBe(tree)
  })
  test('of nothing gives the empty tree', async () => {
    const tree = await store.writeTree([])
    expect(tree).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904')
    expect(await store.list(tree)).toEqual([])
  })
  test.each(['../a', '/a', 'a//b', 'a/./b', ''])(
    'of a path that is none (%j) is a bug, and writes nothing',
    async (path) => {
      const before = await looseAndPacked()
      await expect(store.writeTree([file('ok', 'new'), file(path, 'new')])).rejects.toMatchObject({
        code: 'bug/tree-path',
      })
      expect(await looseAndPacked()).toBe(before)
    },
  )
  test('of a file that is shorter than it said leaves nothing', async () => {
    const writer = await store.openWriter()
    await expect(writer.addStream('a', '100644', 9, [Buffer.from('four')])).rejects.toMatchObject({
      code: 'infra/tree-write',
    })
    await writer.abort()
  })
  test('is kept from clean-up, and leaves no passing refs', async () => {
    const tree = await store.writeTree([file('kept', String(Math.random()))])
    await git(['gc', '--quiet', '--prune=now'], { gitDirectory: store.directory })
    expect(await store.has(tree)).toBe(true)
    const refs = (
      await git(['for-each-ref', '--format=%(refname)'], { gitDirectory: store.directory })
    ).toString()
    expect(refs).toContain(`refs/assay/trees/${tree}`)
    expect(refs).not.toContain('incoming')
  })
  test('stops when it is told to', async () => {
    const endless = (async function* () {
      for (let index = 0; ; index += 1) {
        await Promise.resolve()
        yield file(`f${index}`, 'x')
      }
    })()
    await expect(store.writeTree(endless, AbortSignal.timeout(50))).rejects.toThrow()
  })
})

describe('the store', () => {
  test('is made once by many at the same time, and all see what each writes', async () => {
    const directory = join(root, 'new', 'store.git')
    const script = `
      import { GitTreeStore } from ${JSON.stringify(join(import.meta.dirname, 'git-tree-store.ts'))}
      const store = await GitTreeStore.open(process.argv[1])
      const files = ['same', process.argv[2]].map((path) => ({ path, mode: '100644', content: Buffer.from(path) }))
      console.log(await store.writeTree(files.slice(0, 1)), await store.writeTree(files))
    `
    const outputs = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        run(process.execPath, ['--input-type=module', '-e', script, directory, name]),
      ),
    )
    const trees = outputs.map(({ stdout }) => stdout.trim().split(' '))
    const opened = await GitTreeStore.open(directory)
    expect(new Set(trees.map(([same]) => same)).size).toBe(1)
    expect(new Set(trees.map(([, own]) => own)).size).toBe(4)
    for (const tree of trees.flat()) expect(await opened.has(tree)).toBe(true)
    expect(await readdir(join(root, 'new'))).toEqual(['store.git'])
  })
  test('takes nothing from the environment, the home folder or a hook', async () => {
    const hooks = join(store.directory, 'hooks')
    await run('mkdir', ['-p', hooks])
    await writeFile(join(hooks, 'reference-transaction'), `#!/bin/sh\ntouch ${root}/hook-ran\n`, {
      mode: 0o755,
    })
    process.env['GIT_DIR'] = '/nowhere'
    process.env['GIT_INDEX_FILE'] = '/nowhere/index'
    try {
      const tree = await store.writeTree([file('a', 'hooks')])
      await store.keep(tree)
      expect(await readdir(root)).not.toContain('hook-ran')
    } finally {
      delete process.env['GIT_DIR']
      delete process.env['GIT_INDEX_FILE']
      await rm(hooks, { recursive: true })
    }
  })
  test('removes what a killed process left in its scratch folder', async () => {
    const left = join(store.directory, 'scratch', '2147483000.dead')
    await run('mkdir', ['-p', left])
    await GitTreeStore.open(store.directory)
    expect(await readdir(join(store.directory, 'scratch'))).toEqual([])
  })
  test('says where it cannot be', async () => {
    await writeFile(join(root, 'a-file'), '')
    await expect(GitTreeStore.open(join(root, 'a-file', 'store.git'))).rejects.toMatchObject({
      code: 'config/state',
    })
  })
  test('a tree that it does not have is a fault', async () => {
    await expect(store.list('1'.repeat(40))).rejects.toMatchObject({ code: 'infra/git' })
    expect(await store.has('1'.repeat(40))).toBe(false)
  })
})

describe('reading a file', () => {
  test('gives bytes, and nothing for a folder, a link or a path that is not there', async () => {
    const tree = await store.writeTree([file('a/b', Buffer.from([0, 255])), file('l', 'a/b', '120000')])
    expect(await store.readFile(tree, 'a/b')).toEqual(Buffer.from([0, 255]))
    for (const path of ['a', 'l', 'c', 'a/b/', './a/b', ':(glob)*'])
      expect(await store.readFile(tree, path)).toBeUndefined()
    expect(await store.linkTargets(await store.list(tree))).toEqual(new Map([['l', 'a/b']]))
  })

  test('gives all that are small enough, until there are enough of them', async () => {
    const tree = await store.writeTree([
      file('a', '1234'),
      file('b', '123456'),
      file('c/d', '12'),
      file('e', '1'),
      file('l', 'a', '120000'),
    ])
    const paths = async (caps: { fileBytes: number; totalBytes: number }) => [
      ...(await store.smallFiles(tree, caps)).keys(),
    ]
    expect(await paths({ fileBytes: 5, totalBytes: 100 })).toEqual(['a', 'c/d', 'e'])
    expect(await paths({ fileBytes: 100, totalBytes: 6 })).toEqual(['a', 'c/d'])
    expect((await store.smallFiles(tree, { fileBytes: 5, totalBytes: 100 })).get('c/d')?.toString()).toBe(
      '12',
    )
  })
})

/** Attributes with which `git archive` and a checkout would leave out files and change others. */
const ATTRIBUTES = `secret.txt export-ignore
subst.txt export-subst
* ident
*.crlf text eol=crlf
*.lf text eol=lf
*.enc working-tree-encoding=UTF-16
*.f filter=evil diff=evil
`
const ATTRIBUTED = [
  file('.gitattributes', ATTRIBUTES),
  file('secret.txt', 'here'),
  file('subst.txt', '$Format:%H$ $Id$'),
  file('a.crlf', 'one\ntwo\n'),
  file('b.lf', 'one\r\ntwo\r\n'),
  file('c.enc', 'text'),
  file('d.f', 'text'),
]

describe('a tree as a tar stream', () => {
  test('has every byte of every file, whatever the attributes of the tree say', async () => {
    const tree = await store.writeTree(ATTRIBUTED)
    const folder = await unpack(await bytesOf(store.tar(tree, OWNER)))
    for (const { path, content } of ATTRIBUTED) expect(await readFile(join(folder, path))).toEqual(content)
  })
  test('is the same each time, with folders first, times zero and the owner that was asked for', async () => {
    const tree = await store.writeTree([
      file('b/c/d', 'x'),
      file('b.txt', 'y', '100755'),
      file('l', 'b', '120000'),
    ])
    const tar = await bytesOf(store.tar(tree, OWNER))
    expect(await bytesOf(store.tar(tree, OWNER))).toEqual(tar)
    await writeFile(join(root, 'listed.tar'), tar)
    const listed = await run('tar', ['--numeric-owner', '--utc', '-tvf', join(root, 'listed.tar')])
    expect(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => line.replaceAll(/ +/g, ' ')),
    ).toEqual([
      '-rwxr-xr-x 1000/1001 1 1970-01-01 00:00 b.txt',
      'drwxr-xr-x 1000/1001 0 1970-01-01 00:00 b/',
      'drwxr-xr-x 1000/1001 0 1970-01-01 00:00 b/c/',
      '-rw-r--r-- 1000/1001 1 1970-01-01 00:00 b/c/d',
      'lrwxrwxrwx 1000/1001 0 1970-01-01 00:00 l -> b',
    ])
  })
  test('of the empty tree is an archive without entries', async () => {
    expect(await bytesOf(store.tar(await store.writeTree([]), OWNER))).toEqual(Buffer.alloc(1024))
  })
  test('of a tree that is not there fails, and does not hang', async () => {
    await expect(bytesOf(store.tar('2'.repeat(40), OWNER))).rejects.toThrow(/git ls-tree/)
  })
  test('ends git when nobody reads on', async () => {
    const tree = await store.writeTree([file('big', Buffer.alloc(20_000_000, 1)), file('more', 'x')])
    const stream = store.tar(tree, OWNER)
    for await (const chunk of stream) if ((chunk as Buffer).length > 0) break
    expect(stream.destroyed).toBe(true)
  })
})

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
  .filter(
    (text) => !/[/\0]|\p{Cs}/u.test(text) && text !== '.' && text !== '..' && Buffer.byteLength(text) < 255,
  )
const files = fc
  .uniqueArray(
    fc.record({
      top: name,
      rest: fc.array(name, { maxLength: 3 }),
      mode: fc.constantFrom<NewFile['mode']>('100644', '100755', '120000'),
      content: fc.uint8Array({ minLength: 1, maxLength: 600 }),
    }),
    { maxLength: 6, selector: ({ top }) => top },
  )
  .map((list) =>
    list
      .filter(({ top }) => top !== '.git')
      .map(({ top, rest, mode, content }): NewFile => ({
        path: [top, ...rest].join('/'),
        mode,
        content: mode === '120000' ? Buffer.from(`t/${Buffer.from(content).toString('hex')}`) : content,
      })),
  )
const wide = { ...DEFAULT_TREE_CAPS, linkTargetBytes: 4096 }

property.prop([files], { numRuns: 25 })(
  'a tree that goes out as tar and comes in again is the same tree',
  async (list) => {
    const tree = await store.writeTree(list)
    const tar = await bytesOf(store.tar(tree, OWNER))
    const read = await treeFromTar(store, inPieces(tar), { caps: wide })
    // Names with control characters are written and listed, but no archive may bring them.
    if (read.kind === 'refused') expect(read.reason).toMatch(/control character/)
    else expect(read.tree).toBe(tree)
  },
)

describe('the repository of a tree', () => {
  const gitIn = async (folder: string, ...argv: string[]): Promise<string> =>
    (await run('git', argv, { cwd: folder })).stdout
  const open = async (tree: TreeId): Promise<string> =>
    await unpack(await bytesOf(store.tar(tree, OWNER)), await bytesOf(store.oneCommitRepository(tree, OWNER)))

  test('is sound and clean, has one commit on main that says nothing, and leads nowhere', async () => {
    const tree = await store.writeTree([
      ...ATTRIBUTED,
      file('.gitignore', 'secret.txt\n'),
      file('bin', 'x', '100755'),
    ])
    const folder = await open(tree)
    expect(await gitIn(folder, 'status', '--porcelain', '--branch', '--ignored')).toBe('## main\n')
    expect(await gitIn(folder, 'fsck', '--strict')).toBe('')
    expect(await gitIn(folder, 'log', '--all', '--format=%an <%ae> %cn <%ce> %aI %T %P%n%B')).toBe(
      `Base <base@invalid> Base <base@invalid> 2000-01-01T00:00:00+00:00 ${tree} \nBase\n\n`,
    )
    expect(await gitIn(folder, 'remote')).toBe('')
    expect(await gitIn(folder, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n')
    expect(await gitIn(folder, 'count-objects', '-v')).toContain('in-pack: 10\n')
    const inside = await readdir(join(folder, '.git'), { recursive: true })
    expect(inside.filter((path) => /hooks|alternates|logs|FETCH_HEAD|packed-refs/.test(path))).toEqual([])
    expect(await readFile(join(folder, '.git/config'), 'utf8')).not.toContain(root)
  })
  test('can be worked in: what is added has the bytes of the file', async () => {
    const folder = await open(await store.writeTree(ATTRIBUTED))
    await writeFile(join(folder, 'a.crlf'), 'three\r\n')
    await run('git', ['-c', 'user.name=w', '-c', 'user.email=w', 'commit', '-qam', 'w'], { cwd: folder })
    expect(await gitIn(folder, 'cat-file', 'blob', 'HEAD:a.crlf')).toBe('three\r\n')
  })
  test('is the same each time', async () => {
    const tree = await store.writeTree(ATTRIBUTED)
    const one = await bytesOf(store.oneCommitRepository(tree, OWNER))
    await store.writeTree([...ATTRIBUTED, file('more', 'x')])
    expect(await bytesOf(store.oneCommitRepository(tree, OWNER))).toEqual(one)
  })
})

describe('a diff', () => {
  test('brings base to the output again, and leaves base alone', async () => {
    const base = await store.writeTree([
      ...ATTRIBUTED,
      file('gone', 'x'),
      file('mode', 'x'),
      file('type', 'x'),
    ])
    const output = await store.writeTree([
      ...ATTRIBUTED.filter(({ path }) => path !== 'd.f'),
      file('d.f', 'changed\n'),
      file('mode', 'x', '100755'),
      file('type', 'a', '120000'),
      file('binary', Buffer.from([0, 1, 2, 255])),
      file('ü "quoted"\tname', 'x'),
    ])
    const diff = await store.diff(base, output)
    expect(diff.toString('latin1')).toContain('GIT binary patch')
    expect(await store.applyPatch(base, diff)).toEqual({ kind: 'applied', tree: output })
    expect((await store.changedPaths(base, output)).map(({ path, change }) => `${change} ${path}`)).toEqual([
      'added binary',
      'modified d.f',
      'deleted gone',
      'mode mode',
      'type type',
      'added ü "quoted"\tname',
    ])
  })
})

describe('a bundle', () => {
  test('carries trees to another store', async () => {
    const trees = [
      await store.writeTree([file('a', 'one')]),
      await store.writeTree(ATTRIBUTED),
      await store.writeTree([]),
    ]
    const bundle = join(root, 'trees.bundle')
    await store.exportBundle([...trees, ...trees], bundle)
    const other = await GitTreeStore.open(join(root, 'other', 'store.git'))
    expect(await other.importBundle(bundle)).toEqual(trees.toSorted())
    await git(['gc', '--quiet', '--prune=now'], { gitDirectory: other.directory })
    for (const tree of trees) expect(await other.list(tree)).toEqual(await store.list(tree))
  })
  test('that is none, or cut off, or lies about a tree, is refused', async () => {
    const lying = join(root, 'lying.bundle')
    const tree = await store.writeTree([file('a', 'true')])
    const name = `refs/assay/trees/${'3'.repeat(40)}`
    await git(['update-ref', name, `refs/assay/trees/${tree}`], { gitDirectory: store.directory })
    await git(['bundle', 'create', '--quiet', lying, name], { gitDirectory: store.directory })
    await git(['update-ref', '-d', name], { gitDirectory: store.directory })
    const cut = join(root, 'cut.bundle')
    await writeFile(cut, (await readFile(lying)).subarray(0, -30))
    const none = join(root, 'none.bundle')
    await writeFile(none, 'no bundle')
    const other = await GitTreeStore.open(join(root, 'third', 'store.git'))
    for (const path of [lying, cut, none, join(root, 'missing')]) {
      await expect(other.importBundle(path)).rejects.toMatchObject({ code: 'config/bundle' })
    }
    expect((await git(['for-each-ref'], { gitDirectory: other.directory })).toString()).toBe('')
  })
})
