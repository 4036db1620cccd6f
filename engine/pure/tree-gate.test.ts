import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { TreeEntry } from '../../specs/trees.ts'
import type { GateReason, GateTree } from './gate-outcome.ts'
import { DEFAULT_TREE_CAPS, type TreeCaps } from './tree-caps.ts'
import { gateTree } from './tree-gate.ts'

/** A tree in short: a file is its content's id, `->` a link, `@` a gitlink, `x:` an executable file, a number its size. */
type Short = Readonly<Record<string, string | number>>
function tree(short: Short): GateTree {
  const linkTargets = new Map<string, string>()
  const entries = Object.entries(short).map(([path, what]): TreeEntry => {
    const text = String(what)
    if (text.startsWith('->')) linkTargets.set(path, text.slice(2))
    const mode = text.startsWith('->')
      ? '120000'
      : text === '@'
        ? '160000'
        : text.startsWith('x:')
          ? '100755'
          : '100644'
    return { path, mode, objectId: text.replace(/^x:/, ''), sizeBytes: typeof what === 'number' ? what : 1 }
  })
  return { entries, linkTargets }
}
const gate = (base: Short, output: Short, caps: Partial<TreeCaps> = {}): ReturnType<typeof gateTree> =>
  gateTree(tree(base), tree(output), { ...DEFAULT_TREE_CAPS, ...caps })
function refusals(base: Short, output: Short, caps?: Partial<TreeCaps>): string[] {
  const outcome = gate(base, output, caps)
  return outcome.kind === 'passed' ? [] : outcome.refusals.map(({ path, reason }) => `${reason} ${path}`)
}

describe('what is refused when the output brings it', () => {
  const rows: readonly [string, Short, path: string, GateReason, Partial<TreeCaps>?][] = [
    ['a gitlink', { sub: '@' }, 'sub', 'gitlink'],
    ['a link to an absolute path', { l: '->/etc/passwd' }, 'l', 'symlink-leaves-tree'],
    ['a link above the tree', { l: '->../x' }, 'l', 'symlink-leaves-tree'],
    ['a link above the tree and back into it', { 'a/l': '->../../tree/a' }, 'a/l', 'symlink-leaves-tree'],
    [
      'a link that leaves through another link',
      { 'd/e/up': '->..', l: '->d/e/up/../../x' },
      'l',
      'symlink-leaves-tree',
    ],
    [
      'a link that leaves through a folder that is not there',
      { l: '->no/../../x' },
      'l',
      'symlink-leaves-tree',
    ],
    ['a link into .git', { l: '->.git/hooks/pre-commit' }, 'l', 'symlink-into-git'],
    ['a link into .git of another spelling', { l: '->GIT~1/config' }, 'l', 'symlink-into-git'],
    ['a link without a target', { l: '->' }, 'l', 'symlink-empty'],
    ['.gitmodules as a link', { '.gitmodules': '->a' }, '.gitmodules', 'symlink-gitmodules'],
    ['.gitmodules as a link in a short name', { 'a/GITMOD~1': '->b' }, 'a/GITMOD~1', 'symlink-gitmodules'],
    ['a long target', { l: '->abcdef' }, 'l', 'symlink-target-too-long', { linkTargetBytes: 5 }],
    ['a control character in a target', { l: '->a\nb' }, 'l', 'control-character'],
    ['a newline in a name', { 'a\nb': 'x' }, 'a\nb', 'control-character'],
    ['an escape sequence in a name', { '\x1b[2Ja': 'x' }, '\x1b[2Ja', 'control-character'],
    ['DEL in a name', { 'a\x7f': 'x' }, 'a\x7f', 'control-character'],
    ['a C1 control in a name', { 'a\x9b31m': 'x' }, 'a\x9b31m', 'control-character'],
    ['a name that turns text around', { 'a\u202egpj.js': 'x' }, 'a\u202egpj.js', 'control-character'],
    ['a .. segment', { 'a/../b': 'x' }, 'a/../b', 'malformed-path'],
    ['a .. segment where a backslash separates', { 'a\\..\\b': 'x' }, 'a\\..\\b', 'malformed-path'],
    ['an absolute name', { '/a': 'x' }, '/a', 'malformed-path'],
    ['.git', { '.git/hooks/post-checkout': 'x' }, '.git/hooks/post-checkout', 'dot-git'],
    ['.git in a folder', { 'a/.git': 'x' }, 'a/.git', 'dot-git'],
    ['.GIT', { '.GIT/config': 'x' }, '.GIT/config', 'dot-git'],
    ['the short name of .git', { 'git~1/config': 'x' }, 'git~1/config', 'dot-git'],
    ['.git and a space', { '.git /config': 'x' }, '.git /config', 'dot-git'],
    ['.git and dots', { 'a/.git. ./x': 'x' }, 'a/.git. ./x', 'dot-git'],
    ['a stream of .git', { '.git::$INDEX_ALLOCATION/x': 'x' }, '.git::$INDEX_ALLOCATION/x', 'dot-git'],
    ['.git before a backslash', { '.git\\config': 'x' }, '.git\\config', 'dot-git'],
    ['.git after a backslash', { 'a\\.git\\config': 'x' }, 'a\\.git\\config', 'dot-git'],
    ['.git with a code point that HFS+ ignores', { '.g\u200cit/x': 'x' }, '.g\u200cit/x', 'dot-git'],
    ['.git with a byte order mark', { '.git\ufeff': 'x' }, '.git\ufeff', 'dot-git'],
    ['names that differ in case', { 'A.js': 'x', 'a.js': 'y' }, 'A.js', 'name-collision'],
    ['names of two Unicode forms', { 'caf\u00e9': 'x', 'cafe\u0301': 'y' }, 'caf\u00e9', 'name-collision'],
    ['names that differ in both', { 'CAF\u00c9': 'x', 'cafe\u0301': 'y' }, 'CAF\u00c9', 'name-collision'],
    ['names of two lower forms', { 'stra\u00dfe': 'x', STRASSE: 'y' }, 'STRASSE', 'name-collision'],
    ['a name with a code point that HFS+ ignores', { ab: 'x', 'a\u200db': 'y' }, 'ab', 'name-collision'],
    ['folders that differ in case', { 'Lib/a': 'x', 'lib/b': 'y' }, 'Lib', 'name-collision'],
    ['a file and a folder that differ in case', { Lib: 'x', 'lib/b': 'y' }, 'Lib', 'name-collision'],
    ['a long path', { 'aa/bb': 'x' }, 'aa/bb', 'path-too-long', { pathBytes: 4 }],
    [
      'a long segment, counted in bytes',
      { '\u00e9\u00e9': 'x' },
      '\u00e9\u00e9',
      'segment-too-long',
      { segmentBytes: 3 },
    ],
    ['a deep path', { 'a/b/c': 'x' }, 'a/b/c', 'path-too-deep', { depth: 2 }],
    ['a large file', { a: 11 }, 'a', 'file-too-large', { fileBytes: 10 }],
    ['many entries', { a: 'x', b: 'x' }, '', 'too-many-entries', { entries: 1 }],
    ['many bytes', { a: 6, b: 6 }, '', 'tree-too-large', { totalBytes: 11 }],
  ]
  test.each(rows)('%s', (_, output, path, reason, caps) => {
    expect(refusals({}, output, caps)).toContain(`${reason} ${path}`)
  })
  // Totals are of the tree as a whole: base may be over them, and then the output may be so too.
  test.each(rows)('%s: not when base has it already', (_, output, __, ___, caps) => {
    expect(refusals(output, { ...output, zz: 'x' }, { ...caps, entries: 9, totalBytes: 99 })).toEqual([])
    expect(gate(output, output, caps)).toEqual({ kind: 'passed', changes: [], notes: [] })
  })
  test.each(rows)('%s: named beside whatever else is refused', (_, output, path, reason, caps) => {
    const more = { ...output, 'zz/.git/x': 'x' }
    const found = refusals({}, more, caps)
    expect(found).toContain('dot-git zz/.git/x')
    expect(found).toContain(`${reason} ${path}`)
  })
})

describe('what passes', () => {
  const rows: readonly [string, Short, Short][] = [
    ['a link beside it', {}, { 'a/l': '->b' }],
    ['a link to the root of the tree', {}, { 'a/l': '->..' }],
    ['a link to nothing', {}, { l: '->not/there' }],
    ['a link in a circle: nobody can follow it', {}, { a: '->b', b: '->a' }],
    ['a link down and up', {}, { 'a/b/l': '->../../c/../d' }],
    [
      'names that only look like .git',
      {},
      { '.gitignore': 'x', '.github/w.yml': 'x', 'git~2': 'x', 'a.git': 'x', '.git-x': 'x' },
    ],
    ['an emoji of several code points', {}, { '\u{1f469}\u200d\u{1f4bb}.png': 'x' }],
    ['a rename that changes case only', { 'readme.md': 'x' }, { 'README.md': 'x' }],
    ['a rename of a folder that changes case only', { 'Lib/a': 'x' }, { 'lib/a': 'x' }],
    [
      'a tree that shrinks but is over a cap still',
      Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, 'x'])),
      { a: 'x' },
    ],
    ['a gitlink of base that is gone', { sub: '@' }, {}],
  ]
  test.each(rows)('%s', (_, base, output) => expect(refusals(base, output)).toEqual([]))
})

describe('what base has and the output makes worse', () => {
  const rows: readonly [string, Short, Short, string[]][] = [
    ['a file that is changed keeps its odd name', { 'a\nb': 'x' }, { 'a\nb': 'y' }, []],
    ['a link that is turned outward', { l: '->a' }, { l: '->/a' }, ['symlink-leaves-tree l']],
    ['a file that becomes a link outward', { l: 'x' }, { l: '->/a' }, ['symlink-leaves-tree l']],
    [
      'a folder on a link\u2019s way that becomes a link',
      { l: '->d/../../x', 'd/e/f': 'x', d2: 'x' },
      { l: '->d/../../x' },
      [],
    ],
    [
      'a link on its way that is gone',
      { l: '->d/../../x', d: '->e/f/g', 'e/f/g/h': 'x' },
      { l: '->d/../../x', 'd/y': 'x' },
      ['symlink-leaves-tree l'],
    ],
    ['a file that becomes a gitlink', { a: 'x' }, { a: '@' }, ['gitlink a']],
    [
      'a new name that collides with one of base',
      { 'a.js': 'x' },
      { 'a.js': 'x', 'A.js': 'x' },
      ['name-collision A.js'],
    ],
    ['a file that grows over the cap', { a: 11 }, { a: 12 }, ['file-too-large a']],
  ]
  test.each(rows)('%s', (_, base, output, expected) => {
    expect(refusals(base, output, { fileBytes: 10 })).toEqual(expected)
  })
})

test('an entry that comes twice is refused', () => {
  const one = tree({ a: 'x' })
  const twice = { ...one, entries: [...one.entries, ...one.entries] }
  expect(gateTree(one, twice, DEFAULT_TREE_CAPS)).toMatchObject({
    kind: 'refused',
    refusals: [{ path: 'a', reason: 'duplicate-path' }],
  })
})

test('links that lead through each other without end are refused, and soon', () => {
  const folders = Array.from({ length: 30_000 }, (_, index) => [`l${index}`, `->${'a/../'.repeat(150)}x`])
  const outcome = gate({}, Object.fromEntries(folders) as Short)
  expect(outcome.kind === 'refused' && outcome.refusals.at(0)?.reason).toBe('symlinks-too-tangled')
})

test('changes and notes of what passes', () => {
  const base = { a: 'x', b: 'x', c: 'x', d: 'x' }
  const outcome = gate(base, { a: 'y', b: 'x:x', c: '->a', e: 2 ** 21, 'i\u00adv': 'x' })
  expect(outcome.kind === 'passed' && outcome.changes.map(({ path, change }) => `${change} ${path}`)).toEqual(
    ['modified a', 'mode b', 'type c', 'deleted d', 'added e', 'added i\u00adv'],
  )
  expect(outcome.kind === 'passed' && outcome.notes).toEqual([
    { path: 'b', note: 'became-executable' },
    { path: 'c', note: 'new-symlink' },
    { path: 'e', note: 'large-file' },
    { path: 'i\u00adv', note: 'invisible-characters' },
  ])
})

// Names of any kind: any segment, with a few that matter made likely.
const segment = fc.oneof(
  fc.constantFrom('a', 'A', 'b', 'src', '.git', 'git~1', '..', '\u00e9', 'e\u0301', 'x\ny'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).map((text) => text.replaceAll('/', '_')),
)
const what = fc.oneof(
  fc.constantFrom('x', 'y', 'x:x', '@', '->a', '->../a', '->/a', '->b/../../a', '->src'),
  fc.integer({ min: 0, max: 2 ** 28 }),
)
const anyTree: fc.Arbitrary<Short> = fc.dictionary(
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/')),
  what,
  { maxKeys: 8 },
)

property.prop([anyTree])('the same tree passes, whatever is in it', (short) => {
  expect(gate(short, short)).toEqual({ kind: 'passed', changes: [], notes: [] })
})
property.prop([anyTree, anyTree])('the order of entries does not matter', (base, output) => {
  const reversed = (short: Short): GateTree => ({ ...tree(short), entries: tree(short).entries.toReversed() })
  expect(gateTree(reversed(base), reversed(output), DEFAULT_TREE_CAPS)).toEqual(gate(base, output))
})
property.prop([anyTree, anyTree, fc.constantFrom('.git/x', '.GIT', 'n/git~1', '\u001bx')])(
  'one bad name more is refused and named, whatever else there is',
  (base, output, bad) => {
    const others = Object.fromEntries(Object.entries(base).filter(([path]) => path !== bad))
    const outcome = gate(others, { ...output, [bad]: 'bad' })
    expect(outcome.kind === 'refused' && outcome.refusals.map(({ path }) => path)).toContain(bad)
  },
)
property.prop([anyTree, anyTree])(
  'what is refused is new or changed, or a whole tree, or lies on a changed way',
  (base, output) => {
    const outcome = gate(base, output)
    if (outcome.kind === 'passed') return
    const inBase = tree(base)
    for (const { path, reason } of outcome.refusals) {
      if (path === '' || reason === 'name-collision' || reason === 'symlink-leaves-tree') continue
      const before = inBase.entries.find((entry) => entry.path === path)
      expect(before).not.toEqual(tree(output).entries.find((entry) => entry.path === path))
    }
  },
)
