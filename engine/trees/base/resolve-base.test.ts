import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { baseSchema, type BaseSource } from '../../../specs/task.ts'
import { git } from '../git.ts'
import { paxRecord, rawTar, rawEntries, type RawEntry } from '../testing/raw-tar.ts'
import { inPieces, storeForTest } from '../testing/store-for-test.ts'
import { resolveBase, type BaseContext, type ResolvedBase } from './resolve-base.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const run = promisify(execFile)
const { root, store } = await storeForTest()
const taskDirectory = join(root, 'task')
const cacheDirectory = join(root, 'state', 'cache')
await mkdir(taskDirectory)

const resolve = async (
  source: BaseSource,
  more: Partial<BaseContext> = {},
  signal = new AbortController().signal,
): ReturnType<typeof resolveBase> =>
  await resolveBase(baseSchema.parse(source), { taskDirectory, store, cacheDirectory, ...more }, signal)
async function paths(source: BaseSource, more?: Partial<BaseContext>): Promise<string[]> {
  const { tree } = await resolve(source, more)
  return (await store.list(tree)).map(({ path, mode }) => `${mode} ${path}`)
}
const integrityOf = (bytes: Buffer, algorithm = 'sha512'): string =>
  `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`

describe('a folder', () => {
  test('is taken whole: ignored files, links, modes; not its .git and not our own state', async () => {
    const folder = join(taskDirectory, 'folder')
    await mkdir(join(folder, 'sub', '.git'), { recursive: true })
    await mkdir(join(folder, '.git'))
    for (const path of ['.gitignore', '.git/config', 'sub/.git/config', 'sub/ignored', 'exe', 'ünï']) {
      await writeFile(join(folder, path), path === '.gitignore' ? 'ignored\n' : 'x')
    }
    await chmod(join(folder, 'exe'), 0o700)
    await symlink('/etc/passwd', join(folder, 'link'))
    expect(await paths({ from: 'directory', path: 'folder' })).toEqual([
      '100644 .gitignore',
      '100755 exe',
      '120000 link',
      '100644 sub/ignored',
      '100644 ünï',
    ])
    expect(
      (await paths({ from: 'directory', path: root })).filter((path) => path.includes('store.git')),
    ).toEqual([])
  })
  test('with something that is no file is refused, with its path', async () => {
    const folder = join(taskDirectory, 'special')
    await mkdir(join(folder, 'sub'), { recursive: true })
    await run('mkfifo', [join(folder, 'sub', 'pipe')])
    await expect(resolve({ from: 'directory', path: 'special' })).rejects.toMatchObject({
      code: 'config/base',
      message:
        'task.yaml: base.path: sub/pipe: expected a file, a folder or a link, and it is a device, a FIFO or a socket',
    })
    await rm(folder, { recursive: true })
  })
  test('that is not there, or is a file', async () => {
    await writeFile(join(taskDirectory, 'a-file'), '')
    for (const path of ['nowhere', 'a-file']) {
      await expect(resolve({ from: 'directory', path })).rejects.toMatchObject({
        code: 'config/base',
        message: expect.stringMatching(/base\.path: .*expected a folder/),
      })
    }
  })
  test('is given up when we are stopped', async () => {
    await expect(
      resolve({ from: 'directory', path: 'folder' }, {}, AbortSignal.abort()),
    ).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('an archive', () => {
  const tar = rawTar({ name: 'top/', type: '5' }, { name: 'top/a', content: 'x', mode: 0o755 })
  beforeAll(async () => {
    await writeFile(join(taskDirectory, 'a.tar'), tar)
    await writeFile(join(taskDirectory, 'a.tar.gz'), gzipSync(tar))
  })
  test('gzipped or not, gives its tree and its integrity', async () => {
    const plain = await resolve({ from: 'tar', path: 'a.tar', strip: 1 })
    expect(plain.resolved).toEqual({ from: 'tar', path: 'a.tar', integrity: integrityOf(tar) })
    expect((await resolve({ from: 'tar', path: 'a.tar.gz', strip: 1 })).tree).toBe(plain.tree)
    expect(await paths({ from: 'tar', path: 'a.tar', strip: 0 })).toEqual(['100755 top/a'])
  })
  test.each(['sha256', 'sha384', 'sha512'])('with a %s that is right', async (algorithm) => {
    expect(
      await paths({ from: 'tar', path: 'a.tar', strip: 1, integrity: integrityOf(tar, algorithm) }),
    ).toHaveLength(1)
  })
  test('with an integrity that is wrong names both, and writes nothing', async () => {
    const before = (await git(['count-objects', '-v'], { gitDirectory: store.directory })).toString()
    const expected = integrityOf(Buffer.from('other'))
    await expect(
      resolve({ from: 'tar', path: 'a.tar', strip: 1, integrity: expected }),
    ).rejects.toMatchObject({
      code: 'config/integrity',
      message: `task.yaml: base.integrity: ${join(taskDirectory, 'a.tar')}: expected ${expected}, got ${integrityOf(tar)}`,
    })
    expect((await git(['count-objects', '-v'], { gitDirectory: store.directory })).toString()).toBe(before)
  })
  const broken: readonly [string, Buffer, RegExp][] = [
    ['a name that climbs', rawTar({ name: '../a' }), /"\.\.\/a": its name has a \.\. segment/],
    ['a device', rawTar({ name: 'dev', type: '3' }), /"dev": it is a character device/],
    ['an end that is missing', rawEntries({ name: 'a' }), /the archive is cut off/],
    [
      'a gzip stream that is cut off',
      gzipSync(Buffer.concat([tar, Buffer.alloc(9999, 'abc')])).subarray(0, 80),
      /expected a tar archive that can be read/,
    ],
    ['no archive in it', Buffer.from('hello '.repeat(200)), /wrong checksum/],
    ['nothing in it', Buffer.alloc(0), /the archive is cut off/],
    ['.git of another spelling', rawTar({ name: '.GIT/config' }), /"\.GIT\/config": dot-git/],
    [
      'a control character in a long name',
      rawTar({ name: 'x', type: 'x', content: paxRecord('path', 'a\nb') }, { name: 'y' }),
      /"a\\nb": its name has a control character/,
    ],
  ]
  test.each(broken)('with %s is refused', async (_, bytes, message) => {
    await writeFile(join(taskDirectory, 'broken.tar'), bytes)
    await expect(resolve({ from: 'tar', path: 'broken.tar', strip: 0 })).rejects.toMatchObject({
      code: 'config/base',
      message: expect.stringMatching(message),
    })
  })
  test('that is not there', async () => {
    await expect(resolve({ from: 'tar', path: 'no.tar', strip: 0 })).rejects.toMatchObject({
      code: 'config/base',
    })
  })
})

describe('a path of an image', () => {
  const image = (...entries: RawEntry[]): Partial<BaseContext> => ({
    readImage: () => Promise.resolve(inPieces(rawTar(...entries))),
  })
  test('is taken without its .git', async () => {
    const reading = image(
      { name: './', type: '5' },
      { name: './.git/HEAD', content: 'ref' },
      { name: './a', content: 'x' },
    )
    expect(await paths({ from: 'image', path: '/srv/app' }, reading)).toEqual(['100644 a'])
  })
  test('with a device, or without an image', async () => {
    const source = { from: 'image', path: '/app' } as const
    await expect(resolve(source, image({ name: './null', type: '3' }))).rejects.toMatchObject({
      code: 'config/base',
      message: 'task.yaml: base.path: /app: "null": it is a character device',
    })
    await expect(resolve(source)).rejects.toMatchObject({ code: 'config/base' })
  })
})

describe('a git repository', () => {
  const repository = join(taskDirectory, 'repository')
  const inRepository = (...argv: string[]): string =>
    execFileSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t', '-c', 'protocol.file.allow=always', ...argv],
      { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    ).trim()
  const at = async (revision: string, more: object = {}): Promise<{ tree: string; commitId: string }> => {
    const { tree, resolved } = await resolve({ from: 'git', repository: 'repository', revision, ...more })
    return { tree, commitId: (resolved as Extract<ResolvedBase, { from: 'git' }>).commitId }
  }
  beforeAll(async () => {
    await mkdir(join(repository, 'sub', 'deep'), { recursive: true })
    inRepository('init', '-q', '-b', 'trunk')
    for (const [index, content] of ['one\n', 'two\r\n'].entries()) {
      await writeFile(join(repository, 'sub', 'deep', 'a.txt'), content)
      await writeFile(join(repository, '.gitattributes'), '* export-ignore ident eol=crlf\n')
      inRepository('add', '-A')
      inRepository('commit', '-q', '-m', `commit ${index}`)
      inRepository('tag', '-a', '-m', 'x', `v${index}`)
    }
    inRepository('branch', 'feature/x', 'v0')
  })

  test('at a tag, a branch, a commit, a short commit, or one before', async () => {
    const [first, second] = [
      inRepository('rev-parse', 'v0^{commit}'),
      inRepository('rev-parse', 'v1^{commit}'),
    ]
    const tree = inRepository('rev-parse', 'v0^{tree}')
    for (const revision of [
      'v0',
      'feature/x',
      first,
      first.slice(0, 9),
      'HEAD~1',
      'trunk^',
      'refs/tags/v0',
    ]) {
      expect(await at(revision)).toEqual({ tree, commitId: first })
    }
    for (const revision of ['HEAD', 'trunk']) expect((await at(revision)).commitId).toBe(second)
  })
  test('gives only the tree to the store: no history, no tags', async () => {
    const { tree, commitId } = await at('v1')
    expect(
      (await git(['for-each-ref', '--format=%(refname)'], { gitDirectory: store.directory })).toString(),
    ).not.toMatch(/tags|heads|incoming/)
    await expect(git(['cat-file', '-e', commitId], { gitDirectory: store.directory })).rejects.toThrow()
    await git(['gc', '--quiet', '--prune=now'], { gitDirectory: store.directory })
    expect((await store.readFile(tree, 'sub/deep/a.txt'))?.length).toBeGreaterThan(3)
  })
  test('of which a folder is the base', async () => {
    const { tree } = await at('v0', { subdirectory: './sub/' })
    expect((await store.list(tree)).map(({ path }) => path)).toEqual(['deep/a.txt'])
    for (const subdirectory of ['nowhere', 'sub/deep/a.txt']) {
      await expect(at('v0', { subdirectory })).rejects.toMatchObject({
        code: 'config/base',
        message: expect.stringMatching(/base\.subdirectory: expected a folder/),
      })
    }
  })
  test('by an address of a file, and bare', async () => {
    const bare = join(root, 'bare repository.git')
    inRepository('clone', '-q', '--bare', '.', bare)
    for (const address of [`file://${encodeURI(bare)}`, bare]) {
      expect((await resolve({ from: 'git', repository: address, revision: 'v0' })).tree).toBe(
        (await at('v0')).tree,
      )
    }
  })
  const wrong: readonly [string, string, string, RegExp][] = [
    [
      'a revision that is none',
      'repository',
      'v9',
      /base\.revision: expected a commit, a tag or a branch of repository; v9 is none/,
    ],
    ['a refspec instead of a revision', 'repository', 'trunk:refs/heads/x', /base\.revision/],
    ['a folder that is no repository', '.', 'v0', /base\.repository: .: expected a git repository/],
    ['a path that is not there', 'nowhere', 'v0', /base\.repository: nowhere: expected a folder/],
    ['a protocol that runs commands', 'ext::sh -c touch% /tmp/pwned', 'v0', /base\.repository/],
    ['a protocol without protection', 'http://127.0.0.1:1/x.git', 'v0', /base\.repository/],
    ['an option instead of an address', '--upload-pack=touch /tmp/pwned', 'v0', /base\.repository/],
  ]
  test.each(wrong)('with %s is refused', async (_, address, revision, message) => {
    await expect(resolve({ from: 'git', repository: address, revision })).rejects.toMatchObject({
      code: 'config/base',
      message: expect.stringMatching(message),
    })
  })
  test('that cannot be reached is not the user\u2019s mistake', async () => {
    await expect(
      resolve({ from: 'git', repository: 'https://127.0.0.1:1/x.git', revision: 'v0' }),
    ).rejects.toMatchObject({ code: 'infra/repository' })
  })
  test('whose hooks and configuration count for nothing', async () => {
    const hook = `#!/bin/sh\ntouch ${root}/hook-ran\n`
    for (const name of ['post-upload-pack', 'pre-upload', 'reference-transaction', 'post-checkout']) {
      await writeFile(join(repository, '.git', 'hooks', name), hook, { mode: 0o755 })
    }
    inRepository('config', 'uploadpack.packObjectsHook', join(repository, '.git', 'hooks', 'post-checkout'))
    inRepository('config', 'core.fsmonitor', join(repository, '.git', 'hooks', 'post-checkout'))
    await at('trunk')
    expect(await readdir(root)).not.toContain('hook-ran')
    inRepository('config', '--unset', 'core.fsmonitor')
    inRepository('config', '--unset', 'uploadpack.packObjectsHook')
    await rm(join(repository, '.git', 'hooks'), { recursive: true })
  })
  test('with a submodule is refused, with its path', async () => {
    inRepository('checkout', '-q', '-b', 'with-submodule')
    inRepository(
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${inRepository('rev-parse', 'HEAD')},vendor/lib`,
    )
    inRepository('commit', '-q', '-m', 'submodule')
    await expect(at('with-submodule')).rejects.toMatchObject({
      code: 'config/base',
      message: 'task.yaml: base: "vendor/lib": gitlink: a submodule has no content of its own',
    })
  })
  test('with a name that is not UTF-8 is refused', async () => {
    inRepository('checkout', '-q', '-b', 'latin')
    execFileSync(
      'sh',
      [
        '-c',
        `printf '100644 %s\\tb\\351\\0' ${inRepository('rev-parse', 'v0:.gitattributes')} | git update-index -z --index-info`,
      ],
      { cwd: repository },
    )
    inRepository('rm', '-q', '--cached', 'vendor/lib')
    inRepository('commit', '-q', '-m', 'latin')
    await expect(at('latin')).rejects.toMatchObject({
      code: 'config/base',
      message: expect.stringMatching(/not UTF-8/),
    })
  })
})

describe('a package of npm', () => {
  const tarball = gzipSync(
    // As old clients wrote them: no end, odd modes, another name of the folder.
    rawEntries(
      { name: 'package/package.json', content: '{"name":"thing","version":"1.2.3"}', mode: 0o666 },
      { name: 'package/bin/run.js', content: '#!/usr/bin/env node\n', mode: 0o777 },
    ),
  )
  const integrity = integrityOf(tarball)
  const source = { from: 'npm', package: '@scope/thing', version: '1.2.3', integrity } as const
  let registry: Server
  let requests: string[] = []
  let served = tarball
  beforeAll(async () => {
    registry = createServer((request, response) => {
      requests.push(request.url ?? '')
      const { port } = registry.address() as AddressInfo
      if (request.url?.endsWith('.tgz') === true) response.end(served)
      else if (decodeURIComponent(request.url ?? '') === '/@scope/thing') {
        const dist = { tarball: `http://127.0.0.1:${port}/thing.tgz`, integrity: integrityOf(served) }
        response.end(
          JSON.stringify({
            name: '@scope/thing',
            'dist-tags': { latest: '1.2.3' },
            versions: { '1.2.3': { name: '@scope/thing', version: '1.2.3', dist } },
          }),
        )
      } else response.writeHead(404).end('{"error":"not found"}')
    })
    await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done))
    const { port } = registry.address() as AddressInfo
    vi.stubEnv('npm_config_registry', `http://127.0.0.1:${port}/`)
    vi.stubEnv('npm_config_cache', join(root, 'npm-cache'))
    vi.stubEnv('npm_config_update_notifier', 'false')
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await new Promise((done) => registry.close(done))
  })

  test('is fetched once, without its folder, with plain modes; then it needs no registry', async () => {
    const first = await resolve(source)
    expect(first.resolved).toEqual(source)
    expect((await store.list(first.tree)).map(({ path, mode }) => `${mode} ${path}`)).toEqual([
      '100755 bin/run.js',
      '100644 package.json',
    ])
    requests = []
    expect((await resolve(source)).tree).toBe(first.tree)
    expect(requests).toEqual([])
  })
  test('whose copy has been damaged is fetched again', async () => {
    const [kept] = await readdir(join(cacheDirectory, 'npm'))
    await writeFile(join(cacheDirectory, 'npm', kept!), 'damaged')
    expect((await resolve(source)).resolved).toEqual(source)
  })
  test('of other content than expected is refused, and not kept', async () => {
    served = gzipSync(rawTar({ name: 'package/evil.js', content: 'evil' }))
    const expected = integrityOf(Buffer.from('what was asked for'))
    vi.stubEnv('npm_config_cache', join(root, 'npm-cache-2'))
    const before = await readdir(join(cacheDirectory, 'npm'))
    await expect(resolve({ ...source, integrity: expected })).rejects.toMatchObject({
      code: 'config/integrity',
      message: `task.yaml: base.integrity: @scope/thing@1.2.3: expected ${expected}, got ${integrityOf(served)}`,
    })
    expect(await readdir(join(cacheDirectory, 'npm'))).toEqual(before)
    served = tarball
  })
  test('that is not there, or not at that version', async () => {
    const other = integrityOf(Buffer.from('other'))
    for (const missing of [{ version: '9.9.9' }, { package: 'nothing' }]) {
      await expect(resolve({ ...source, integrity: other, ...missing })).rejects.toMatchObject({
        code: 'config/base',
        message: expect.stringMatching(/base\.package: expected a published package/),
      })
    }
  })
  test('where no registry answers, is not the user\u2019s mistake', async () => {
    vi.stubEnv('npm_config_registry', 'http://127.0.0.1:1/')
    vi.stubEnv('npm_config_cache', join(root, 'npm-cache-3'))
    await expect(resolve({ ...source, integrity: integrityOf(Buffer.from('x')) })).rejects.toMatchObject({
      code: 'infra/registry',
    })
  })
})

test('what only the gate of outputs refuses does not keep a tree from being a base', async () => {
  const tar = rawTar({ name: 'Lib/a' }, { name: 'lib/b' }, { name: 'out', type: '2', link: '../../up' })
  const reading = { readImage: () => Promise.resolve(inPieces(tar)) }
  expect(await paths({ from: 'image', path: '/t' }, reading)).toEqual([
    '100644 Lib/a',
    '100644 lib/b',
    '120000 out',
  ])
})
