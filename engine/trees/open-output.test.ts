import { fc, test as property } from '@fast-check/vitest'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { TreeId } from '../../specs/digest.ts'
import { DEFAULT_TREE_CAPS } from '../pure/tree-caps.ts'
import { git } from './git.ts'
import { openOutput, type OpenedOutput } from './open-output.ts'
import { paxRecord, rawTar, type RawEntry } from './testing/raw-tar.ts'
import { bytesOf, file, inPieces, storeForTest } from './testing/store-for-test.ts'

// Every case starts git a few times.
vi.setConfig({ testTimeout: 60_000 })

const { store } = await storeForTest()
let base: TreeId
beforeAll(async () => {
  base = await store.writeTree([
    file('.gitignore', 'node_modules/\n*.log\n!keep.log\n/dist\n:odd\n'),
    file('sub/.gitignore', 'local\n'),
    file('tracked.log', 'in base though ignored'),
    file('node_modules/vendored/a.js', 'in base too'),
    file('src.js', 'x'),
  ])
})

async function open(entries: readonly RawEntry[], strip = 0): Promise<OpenedOutput> {
  return await openOutput(inPieces(rawTar(...entries)), base, { store, strip })
}
/** The paths of the opened tree, and what was left out. */
async function opened(
  entries: readonly RawEntry[],
  strip = 0,
): Promise<{ paths: string[]; ignored: readonly string[] }> {
  const output = await open(entries, strip)
  if (output.kind === 'refused') throw new Error(`${output.path}: ${output.reason}`)
  return { paths: (await store.list(output.tree)).map(({ path }) => path), ignored: output.ignored }
}

describe('an archive that is cut off', () => {
  test('is the engine\u2019s, and never counts against a worker', async () => {
    const whole = rawTar({ name: 'a', content: 'x'.repeat(2000) })
    for (const end of [700, 1500, whole.length - 1024]) {
      await expect(openOutput(inPieces(whole.subarray(0, end)), base, { store })).rejects.toMatchObject({
        code: 'infra/parcel-cut-off',
      })
    }
  })
})

describe('an output is opened', () => {
  test('with what base ignores left out, folders as a whole, and listed', async () => {
    const entries = [
      { name: 'node_modules/', type: '5' },
      { name: 'node_modules/evil/index.js' },
      { name: 'node_modules/evil/b/c.js' },
      { name: 'sub/local' },
      { name: 'dist/bundle.js' },
      { name: 'a.log' },
      { name: 'keep.log' },
      { name: 'x/local' },
      { name: 'x/dist' },
      { name: ':odd' },
      { name: 'src.js', content: 'y' },
    ]
    expect(await opened(entries)).toEqual({
      paths: ['keep.log', 'src.js', 'x/dist', 'x/local'],
      ignored: [':odd', 'a.log', 'dist/', 'node_modules/', 'sub/local'],
    })
  })
  test('with every path of base, though base ignores it', async () => {
    const entries = [{ name: 'tracked.log', content: 'new' }, { name: 'node_modules/vendored/a.js' }]
    expect(await opened(entries)).toEqual({
      paths: ['node_modules/vendored/a.js', 'tracked.log'],
      ignored: [],
    })
  })
  test('by the rules of base alone: those of the output hide nothing, and bring nothing in', async () => {
    const entries = [
      { name: '.gitignore', content: '*\n!a.log\n' },
      { name: '.git/info/exclude', content: '*\n' },
      { name: 'deep/.gitignore', content: '*\n' },
      { name: 'deep/hidden.js' },
      { name: 'a.log' },
    ]
    expect(await opened(entries)).toEqual({
      paths: ['.gitignore', 'deep/.gitignore', 'deep/hidden.js'],
      ignored: ['a.log'],
    })
  })
  test('without the .git of the worker, and whatever its index, configuration or history say', async () => {
    const repository = await bytesOf(store.oneCommitRepository(base, { uid: 0, gid: 0 }))
    const entries = [
      { name: '.git/config', content: '[core]\n\tfsmonitor = "touch /tmp/pwned"\n\tworktree = /\n' },
      { name: '.git/index', content: repository.subarray(0, 600) },
      { name: 'src.js', content: 'changed and marked skip-worktree' },
    ]
    const output = await open(entries)
    expect(
      output.kind === 'opened' && (await store.changedPaths(base, output.tree)).map(({ path }) => path),
    ).toContain('src.js')
    expect((await opened(entries)).paths).toEqual(['src.js'])
  })
  test('with a nested .git in it, for the gate to refuse; not where base ignores its folder', async () => {
    const entries = [{ name: 'vendor/.git/x' }, { name: 'node_modules/a/.git/x' }, { name: '.git~/x.log' }]
    expect(await opened(entries)).toEqual({
      paths: ['vendor/.git/x'],
      ignored: ['.git~/x.log', 'node_modules/'],
    })
  })
  test('from an archive whose names start with the folder of the tree', async () => {
    expect(
      (await opened([{ name: 'tree/', type: '5' }, { name: 'tree/a' }, { name: 'tree/.git/x' }], 1)).paths,
    ).toEqual(['a'])
  })
  test('when an ignore file became a folder', async () => {
    expect((await opened([{ name: '.gitignore/a.log' }, { name: '.gitignore/b' }])).paths).toEqual([
      '.gitignore/b',
    ])
  })
  test('when base has no ignore rules: with everything', async () => {
    const plain = await store.writeTree([file('a', 'x')])
    const output = await openOutput(inPieces(rawTar({ name: 'a.log' })), plain, { store })
    expect(output).toMatchObject({ kind: 'opened', ignored: [], ignoredCount: 0 })
  })
  test('with a list of what was left out that has an end', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => ({ name: `f${index}.log` }))
    const output = await open(many)
    expect(output.kind === 'opened' && [output.ignored.length, output.ignoredCount]).toEqual([1000, 1200])
  })
})

describe('an output is refused', () => {
  const rows: readonly [string, RawEntry, string][] = [
    ['with a FIFO', { name: 'pipe', type: '6' }, 'pipe'],
    ['with a device', { name: 'sub/dev', type: '3' }, 'sub/dev'],
    ['with a hard link to what was left out', { name: 'h', type: '1', link: 'a.log' }, 'h'],
    ['with a name that climbs', { name: '../x' }, '../x'],
    [
      'with a name that is longer than any file system has',
      { name: 'x', type: 'x', content: paxRecord('path', 'a/'.repeat(2500)) },
      'a/'.repeat(150),
    ],
  ]
  test.each(rows)('%s', async (_, entry, path) => {
    expect(await open([{ name: 'a.log' }, entry, { name: 'z' }])).toMatchObject({ kind: 'refused', path })
  })
  test('not for a name in what base ignores that is not UTF-8', async () => {
    const odd = { name: Buffer.from('node_modules/a/b\xe9/c', 'latin1'), content: 'x' }
    expect(await opened([odd, { name: 'z' }])).toEqual({ paths: ['z'], ignored: ['node_modules/'] })
    expect(await open([{ name: Buffer.from('a/b\xe9', 'latin1') }])).toMatchObject({ kind: 'refused' })
  })
  test('not for a device in what base ignores', async () => {
    expect((await opened([{ name: 'node_modules/.cache/pipe', type: '6' }])).ignored).toEqual([
      'node_modules/',
    ])
  })
  test('and nothing of it is in the store', async () => {
    const objects = async (): Promise<string> =>
      (await git(['count-objects', '-v'], { gitDirectory: store.directory })).toString()
    const before = await objects()
    expect(
      await open([
        { name: 'secret', content: Buffer.alloc(3_000_000, 7) },
        { name: 'pipe', type: '6' },
      ]),
    ).toMatchObject({ kind: 'refused' })
    expect(await objects()).toBe(before)
  })
  test('by an abort, which leaves nothing running', async () => {
    const stop = new AbortController()
    const endless = (async function* () {
      for (let index = 0; ; index += 1) {
        if (index === 50) stop.abort()
        await Promise.resolve()
        yield rawTar({ name: `f${index}` }).subarray(0, 512)
      }
    })()
    await expect(openOutput(endless, base, { store }, stop.signal)).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})

const name = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .filter(
    (text) =>
      text.isWellFormed() &&
      !/[/\0]/.test(text) &&
      text !== '.' &&
      text !== '..' &&
      Buffer.byteLength(text) < 90,
  )
property.prop([fc.uniqueArray(name, { minLength: 1, maxLength: 10 })], { numRuns: 30 })(
  'any name at all is taken, left out or refused: git never stops answering',
  async (names) => {
    const tar = rawTar(...names.map((each) => ({ name: each })))
    const output = await openOutput(inPieces(tar), base, { store, caps: DEFAULT_TREE_CAPS })
    if (output.kind === 'refused') expect(output.reason).toMatch(/control character/)
    else {
      const taken = (await store.list(output.tree)).map(({ path }) => path)
      expect([...taken, ...output.ignored].sort()).toEqual(names.filter((each) => each !== '.git').sort())
    }
  },
)
