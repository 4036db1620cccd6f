import { execFileSync } from 'node:child_process'
import { fc, test as property } from '@fast-check/vitest'
import { pack } from 'tar-stream'
import { describe, expect, test } from 'vitest'
import { DEFAULT_TREE_CAPS, type TreeCaps } from '../pure/tree-caps.ts'
import { readTar, type ReadTarOptions, type TarRead } from './read-tar.ts'
import { END, paxRecord, rawEntries, rawTar, type RawEntry } from './testing/raw-tar.ts'
import { bytesOf, inPieces } from './testing/store-for-test.ts'

interface Seen {
  readonly read: TarRead
  readonly files: Readonly<Record<string, string>>
}
async function read(tar: Buffer, options: Partial<ReadTarOptions> = {}, pieceBytes = 777): Promise<Seen> {
  const files: Record<string, string> = {}
  const result = await readTar(
    inPieces(tar, pieceBytes),
    { caps: DEFAULT_TREE_CAPS, ...options },
    async (entry) => {
      if (entry.type === 'file') {
        files[entry.path] =
          `${entry.executable ? 'x ' : ''}${(await bytesOf(entry.content)).toString('latin1')}`
      } else if (entry.type === 'link') files[entry.path] = `-> ${entry.target}`
      else files[entry.path] = `= ${entry.as}`
    },
  )
  return { read: result, files }
}
const caps = (changes: Partial<TreeCaps>): { caps: TreeCaps } => ({
  caps: { ...DEFAULT_TREE_CAPS, ...changes },
})
/** Its 300th UTF-16 unit is the first half of a pair. */
const LONG_NAME = `${'a'.repeat(149)}/${'b'.repeat(149)}😀x`
const ok: RawEntry = { name: 'ok', content: 'ok' }

describe('what is refused, with its path and the reason', () => {
  const size = (text: string): Buffer => Buffer.from(text.padEnd(12, '\0'), 'latin1')
  const rows: readonly [string, Buffer, path: string, reason: RegExp, Partial<ReadTarOptions>?][] = [
    ['an absolute name', rawTar(ok, { name: '/etc/passwd' }), '/etc/passwd', /absolute/],
    ['a name that climbs', rawTar({ name: 'a/../../b' }), 'a/../../b', /\.\. segment/],
    ['a name that climbs and comes back', rawTar({ name: 'a/../b' }), 'a/../b', /\.\. segment/],
    ['a name that is not UTF-8', rawTar({ name: Buffer.from('b\xe9', 'latin1') }), 'b\xe9', /not UTF-8/],
    ['a control character', rawTar({ name: 'a\x1b[31m' }), 'a\x1b[31m', /control character/],
    [
      'a name that turns text around',
      rawTar({ name: 'a\u202etxt.js' }),
      'a\u202etxt.js',
      /control character/,
    ],
    [
      'a NUL in a pax name',
      rawTar({ name: 'x', type: 'x', content: paxRecord('path', 'a\0b') }, ok),
      'a\0b',
      /NUL/,
    ],
    ['a character device', rawTar({ name: 'tty', type: '3' }), 'tty', /character device/],
    ['a block device', rawTar({ name: 'sda', type: '4' }), 'sda', /block device/],
    [
      'a FIFO whose shown name ends before a character of two units',
      rawTar({ name: 'x', type: 'x', content: paxRecord('path', LONG_NAME) }, { name: 'p', type: '6' }),
      LONG_NAME.slice(0, 299),
      /FIFO/,
    ],
    ['a FIFO', rawTar({ name: 'd/pipe', type: '6' }), 'd/pipe', /FIFO/],
    ['an old sparse file', rawTar({ name: 's', type: 'S' }), 's', /sparse/],
    [
      'a new sparse file',
      rawTar({ name: 'x', type: 'x', content: paxRecord('GNU.sparse.size', '9') }, ok),
      '',
      /sparse/,
    ],
    ['a type nobody knows', rawTar({ name: 'v', type: 'V' }), 'v', /unknown type "V"/],
    [
      'a hard link out of the tree',
      rawTar({ name: 'h', type: '1', link: 'etc/passwd' }),
      'h',
      /no file of the tree/,
    ],
    ['a hard link that climbs', rawTar(ok, { name: 'h', type: '1', link: '../ok' }), '../ok', /\.\. segment/],
    [
      'a hard link to a link',
      rawTar({ name: 'l', type: '2', link: 'ok' }, { name: 'h', type: '1', link: 'l' }),
      'h',
      /no file/,
    ],
    ['a name twice', rawTar(ok, ok), 'ok', /twice/],
    ['a name twice in other words', rawTar({ name: 'd/ok' }, { name: './d//ok' }), 'd/ok', /twice/],
    ['a file below a file', rawTar(ok, { name: 'ok/under' }), 'ok/under', /below "ok"/],
    [
      'a file below a link',
      rawTar({ name: 'l', type: '2', link: '/tmp' }, { name: 'l/x' }),
      'l/x',
      /below "l"/,
    ],
    [
      'a link where a folder is',
      rawTar({ name: 'd/x' }, { name: 'd', type: '2', link: '/' }),
      'd',
      /a folder too/,
    ],
    [
      'a folder where a link is',
      rawTar({ name: 'l', type: '2', link: '/' }, { name: 'l/', type: '5' }),
      'l',
      /twice/,
    ],
    ['a link without a target', rawTar({ name: 'l', type: '2' }), 'l', /empty/],
    ['a link with content', rawTar({ name: 'l', type: '2', link: 'a', content: 'x' }), 'l', /has content/],
    [
      'a target that is not UTF-8',
      rawTar({ name: 'l', type: '2', link: Buffer.from([0xff]) }),
      'l',
      /not UTF-8/,
    ],
    ['a negative size', rawTar({ name: 'n', sizeField: Buffer.alloc(12, 0xff) }), '', /negative/],
    [
      'a size of base 256 that is huge',
      rawTar({ name: 'n', sizeField: Buffer.from([0x80, ...Array<number>(11).fill(0x7f)]) }),
      '',
      /huge/,
    ],
    ['a size that is no number', rawTar({ name: 'n', sizeField: size('12x') }), '', /unreadable/],
    [
      'a size beyond the archive',
      rawTar({ name: 'n', sizeField: size('00000077777') }),
      'n',
      /cut off within it/,
    ],
    [
      'a file larger than its cap',
      rawTar({ name: 'n', sizeField: size('77777777777') }),
      'n',
      /8589934591 bytes/,
    ],
    [
      'a pax size that is negative',
      rawTar({ name: 'x', type: 'x', content: paxRecord('size', '-1') }, ok),
      '',
      /negative/,
    ],
    [
      'a pax size that is huge',
      rawTar({ name: 'x', type: 'x', content: paxRecord('size', '9'.repeat(30)) }, ok),
      '',
      /huge/,
    ],
    [
      'a pax header that lies about its length',
      rawTar({ name: 'x', type: 'x', content: '99 path=a\n' }, ok),
      '',
      /malformed/,
    ],
    [
      'a global header that renames',
      rawTar({ name: 'g', type: 'g', content: paxRecord('path', 'a') }, ok),
      '',
      /global pax header sets path/,
    ],
    [
      'a pax header without end',
      rawTar({ name: 'x', type: 'x', sizeField: size('00100000000') }),
      '',
      /too large/,
    ],
    ['a wrong checksum', Buffer.concat([rawEntries(ok).fill(65, 0, 3), END]), '', /checksum/],
    ['something that is no archive', Buffer.from('#!/bin/sh\n'.repeat(100)), '', /checksum/],
    ['an archive that is cut off between entries', rawEntries(ok), '', /cut off/],
    ['an archive that is cut off within a header', rawTar(ok).subarray(0, 700), 'ok', /cut off/],
    [
      'an archive that is cut off within a file',
      rawEntries({ name: 'a', content: 'x'.repeat(2000) }).subarray(0, 1500),
      'a',
      /cut off within it/,
    ],
    ['an empty stream', Buffer.alloc(0), '', /cut off/],
    [
      'an archive that goes on after its end',
      Buffer.concat([rawTar(ok), rawTar({ name: 'more' })]),
      '',
      /after its end/,
    ],
    [
      'more entries than the cap',
      rawTar(ok, { name: 'b' }, { name: 'c' }),
      'c',
      /more than 2 entries/,
      caps({ entries: 2 }),
    ],
    [
      'more bytes than the cap',
      rawTar(ok, { name: 'b', content: 'xyz' }),
      'b',
      /more than 4 bytes/,
      caps({ totalBytes: 4 }),
    ],
    [
      'more bytes than the cap by hard links',
      rawTar(ok, { name: 'b', type: '1', link: 'ok' }),
      'b',
      /more than 3 bytes/,
      caps({ totalBytes: 3 }),
    ],
    ['a long path', rawTar({ name: 'a/b/c' }), 'a/b/c', /more than 4 bytes/, caps({ pathBytes: 4 })],
    ['a long segment', rawTar({ name: 'a/bbb' }), 'a/bbb', /segment of its name/, caps({ segmentBytes: 2 })],
    ['a deep path', rawTar({ name: 'a/b/c' }), 'a/b/c', /2 folders deep/, caps({ depth: 2 })],
    ['a deep folder', rawTar({ name: 'a/b/c/', type: '5' }), 'a/b/c', /2 folders deep/, caps({ depth: 2 })],
    [
      'a long target',
      rawTar({ name: 'l', type: '2', link: 'abc' }),
      'l',
      /target has more than 2/,
      caps({ linkTargetBytes: 2 }),
    ],
    [
      'a flood of folders',
      rawTar({ name: 'a/', type: '5' }, { name: 'b/', type: '5' }),
      '',
      /more than 1 entries/,
      caps({ tarEntries: 1 }),
    ],
    [
      'a long archive of what is left out',
      rawTar({ name: '.git/x', content: 'x'.repeat(5000) }),
      '.git/x',
      /more than 4096 bytes/,
      caps({ tarBytes: 4096 }),
    ],
  ]
  test.each(rows)('%s', async (_, tar, path, reason, options) => {
    const { read: result } = await read(tar, options)
    const isCutOff = reason.source.startsWith('cut off') ? { isCutOff: true } : {}
    expect(result).toEqual({ kind: 'refused', path, reason: expect.stringMatching(reason), ...isCutOff })
  })
})

describe('what is taken', () => {
  test('files, links, hard links to files that came before; no folders', async () => {
    const tar = rawTar(
      { name: './', type: '5' },
      { name: './d/', type: '5' },
      { name: './d/a', content: 'one', mode: 0o700 },
      { name: './l', type: '2', link: '../outside' },
      { name: './h', type: '1', link: './d/a' },
      { name: 'old', type: '\0', magic: '', content: 'v7' },
      { name: 'sub/', type: '0' },
    )
    expect(await read(tar)).toEqual({
      read: { kind: 'read', entries: 4, totalBytes: 8 },
      files: { 'd/a': 'x one', l: '-> ../outside', h: '= d/a', old: 'v7' },
    })
  })
  test('a .git at the top is skipped, whatever it is; one below is not', async () => {
    const folder = rawTar(
      { name: '.git/', type: '5' },
      { name: '.git/config', content: 'x' },
      { name: 'a/.git/x' },
    )
    expect((await read(folder)).files).toEqual({ 'a/.git/x': '' })
    expect((await read(rawTar({ name: '.git', type: '6' }, ok))).files).toEqual({ ok: 'ok' })
    expect((await read(rawTar({ name: '.GIT/x' }))).files).toEqual({ '.GIT/x': '' })
  })
  test('what is left out may be anything and counts for no cap of the tree', async () => {
    const tar = rawTar({ name: 'skip/pipe', type: '6' }, { name: 'skip/big', content: 'x'.repeat(99) }, ok)
    const options = {
      ...caps({ totalBytes: 2 }),
      leaveOut: (path: string) => Promise.resolve(path.startsWith('skip/')),
    }
    expect((await read(tar, options)).files).toEqual({ ok: 'ok' })
  })
  test('leading folders are dropped; a file outside of them is refused', async () => {
    const tar = rawTar(
      { name: 'tree/', type: '5' },
      { name: 'tree/a' },
      { name: 'tree/h', type: '1', link: 'tree/a' },
    )
    expect((await read(tar, { strip: 1 })).files).toEqual({ a: '', h: '= a' })
    expect((await read(rawTar(ok), { strip: 1 })).read).toMatchObject({ kind: 'refused', path: 'ok' })
  })
  test('without an end only where the hash of the archive is known', async () => {
    expect((await read(rawEntries(ok), { endIsOptional: true })).files).toEqual({ ok: 'ok' })
  })
  test('what GNU tar writes: long names, long targets, a padded end', async () => {
    const long = `${'d'.repeat(90)}/${'e'.repeat(90)}/${'ü'.repeat(60)}`
    const script = `mkdir -p "$(dirname "$1")" && echo hi > "$1" && ln -s "$1" link && tar --format=$2 -cf - .`
    for (const format of ['gnu', 'pax']) {
      const tar = execFileSync('sh', ['-c', `cd "$(mktemp -d)" && ${script}`, 'sh', long, format])
      expect((await read(tar)).files).toEqual({ [long]: 'hi\n', link: `-> ${long}` })
    }
  })
  test('an archive of git, whose global header holds a comment', async () => {
    const comment = { name: 'pax_global_header', type: 'g', content: paxRecord('comment', 'a'.repeat(40)) }
    expect((await read(rawTar(comment, ok))).files).toEqual({ ok: 'ok' })
  })
})

const segment = fc.stringMatching(/^[a-zé✓ .~\\"'-]{1,80}$/u).filter((text) => text !== '.' && text !== '..')
const paths = fc
  .uniqueArray(fc.array(segment, { minLength: 1, maxLength: 4 }), {
    maxLength: 8,
    selector: (path) => path[0],
  })
  .map((list) =>
    list.map((path) => path.join('/')).filter((path) => path !== '.git' && !path.startsWith('.git/')),
  )

property.prop([paths, fc.uint8Array({ maxLength: 2000 }), fc.integer({ min: 1, max: 3000 })])(
  'what another program packs is what is read, in pieces of any size',
  async (names, content, pieceBytes) => {
    const tar = pack()
    for (const name of names) tar.entry({ name, mode: 0o644 }, Buffer.from(content))
    tar.finalize()
    const { files } = await read(await bytesOf(tar), {}, pieceBytes)
    expect(files).toEqual(
      Object.fromEntries(names.map((name) => [name, Buffer.from(content).toString('latin1')])),
    )
  },
)

property.prop([fc.nat(), fc.integer({ min: 0, max: 255 }), fc.integer({ min: 1, max: 4000 })])(
  'an archive with any byte changed is read or refused, and never throws',
  async (position, byte, cut) => {
    const tar = rawTar(
      ok,
      { name: 'x', type: 'x', content: paxRecord('path', 'p/q') },
      { name: 'y', content: 'yy' },
    )
    tar[position % tar.length] = byte
    expect(['read', 'refused']).toContain((await read(tar.subarray(0, Math.max(cut, 1)))).read.kind)
  },
)
