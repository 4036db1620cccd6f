import { deflateSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { DEFAULT_TREE_CAPS } from '../pure/tree-caps.ts'
import { gateTree } from '../pure/tree-gate.ts'
import type { GateReason } from '../pure/gate-outcome.ts'
import { git } from './git.ts'
import { file, storeForTest } from './testing/store-for-test.ts'

// Every row starts git a few times.
vi.setConfig({ testTimeout: 30_000 })

const { store } = await storeForTest()
const base = await store.writeTree([
  file('a.txt', 'one\ntwo\n'),
  file('test/config.js', 'x\n'),
  file('exe', 'x\n', '100755'),
])

const added = (path: string, mode = '100644', content = 'x'): string =>
  `diff --git ${path.startsWith('"') ? `"a/${path.slice(1)} "b/${path.slice(1)}` : `a/${path} b/${path}`}\nnew file mode ${mode}\n` +
  `--- /dev/null\n+++ ${path.startsWith('"') ? `"b/${path.slice(1)}` : `b/${path}`}\n@@ -0,0 +1 @@\n+${content}\n`
const apply = (patch: string | Buffer): ReturnType<typeof store.applyPatch> =>
  store.applyPatch(base, Buffer.from(patch))

/** What the patched tree has that base has not; a refusal is its reason. */
async function changes(patch: string): Promise<string[] | string> {
  const outcome = await apply(patch)
  if (outcome.kind === 'refused') return outcome.reason
  return (await store.changedPaths(base, outcome.tree)).map(({ path, change }) => `${change} ${path}`)
}

describe('a patch that is refused, with git\u2019s reason', () => {
  const rows: readonly [string, string, RegExp][] = [
    ['to a path above the tree', added('../evil'), /invalid path '\.\.\/evil'/],
    ['to a hook', added('.git/hooks/post-checkout', '100755'), /invalid path '\.git\/hooks\/post-checkout'/],
    ['to the configuration of git', added('sub/.git/config'), /invalid path/],
    ['to .GIT', added('.GIT/config'), /invalid path '\.GIT\/config'/],
    ['to the short name of .git', added('git~1/config'), /invalid path 'git~1\/config'/],
    ['to .git and a space', added('".git /config"'), /invalid path '\.git \/config'/],
    ['to .git with a code point that HFS+ ignores', added('".g\\342\\200\\214it/config"'), /invalid path/],
    [
      'through a link of its own',
      added('l', '120000', '../out') + added('l/x'),
      /beyond a symbolic link|l\/x/,
    ],
    ['to .gitmodules as a link', added('.gitmodules', '120000', 'a.txt'), /invalid path/],
    [
      'to a file that is not there',
      '--- a/no\n+++ b/no\n@@ -1 +1 @@\n-x\n+y\n',
      /no: does not exist in index/,
    ],
    [
      'to other lines than those of base',
      '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nine\n+ten\n',
      /patch failed: a\.txt:1/,
    ],
    ['that is broken off', '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n', /corrupt patch/],
    [
      'of which only the first part can be read',
      `${added('b.txt')}diff --git a/c b/c\nnew file mode 100644\nindex ${'0'.repeat(40)}..${'1'.repeat(40)}\nGIT binary patch\nliteral 11\nRcmZQzU|?imU|?VYU;qFB00001\n\nliteral 0\nHcmV?d00001\n\n`,
      /corrupt binary patch/,
    ],
    ['that is none', 'please apply this\n', /No valid patches in input/],
    ['that is empty', '', /No valid patches in input|unrecognized input/],
    ['that adds what is there', added('a.txt'), /already exists in index/],
  ]
  test.each(rows)('%s', async (_, patch, reason) => {
    expect(await apply(patch)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) })
  })
  test('is refused as a whole when one part of it does not apply', async () => {
    const before = (await git(['count-objects', '-v'], { gitDirectory: store.directory })).toString()
    const good = '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n'
    const bad = '--- a/exe\n+++ b/exe\n@@ -1 +1 @@\n-nine\n+ten\n'
    expect(await apply(good + bad)).toMatchObject({ kind: 'refused' })
    expect((await git(['count-objects', '-v'], { gitDirectory: store.directory })).toString()).toBe(before)
  })
})

describe('a patch that hides what it does: the trees tell', () => {
  const rows: readonly [string, string, string[]][] = [
    ['a name in octal quotes', added('"con\\146test.py"'), ['added conftest.py']],
    [
      'an absolute name is one of the tree',
      added('x').replaceAll(/[ab]\/x/g, '/etc/evil'),
      ['added etc/evil'],
    ],
    ['only a mode', 'diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n', ['mode a.txt']],
    [
      'a rename without lines',
      'diff --git a/test/config.js b/evil.js\nsimilarity index 100%\nrename from test/config.js\nrename to evil.js\n',
      ['added evil.js', 'deleted test/config.js'],
    ],
    [
      'a copy without lines',
      'diff --git a/exe b/copy\nsimilarity index 100%\ncopy from exe\ncopy to copy\n',
      ['added copy'],
    ],
    [
      'a second diff in the words before the first',
      `Fix a typo\n\n${added('smuggled')}\n---\n a.txt | 1 +\n\n${added('shown')}`,
      ['added shown', 'added smuggled'],
    ],
    [
      'a file that becomes a link',
      'diff --git a/exe b/exe\ndeleted file mode 100755\n--- a/exe\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n' +
        added('exe', '120000', 'a.txt'),
      ['type exe'],
    ],
  ]
  test.each(rows)('%s', async (_, patch, expected) => {
    expect(await changes(patch)).toEqual(expected)
  })
})

describe('a patch that git applies and the gate refuses', () => {
  const link = (target: string): string =>
    added('l', '120000', target).replace(/\n$/, '\n\\ No newline at end of file\n')
  const gitlink = `diff --git a/sub b/sub\nnew file mode 160000\nindex 0000000..${'1'.repeat(40)}\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit ${'1'.repeat(40)}\n`
  const rows: readonly [string, string, GateReason][] = [
    ['a gitlink', gitlink, 'gitlink'],
    ['a link to where a check would be written', link('../../checks/check.js'), 'symlink-leaves-tree'],
    ['a link to an absolute path', link('/etc'), 'symlink-leaves-tree'],
    ['a control character', added('"a\\033[2Jb"'), 'control-character'],
    ['a name that differs in case', added('A.txt'), 'name-collision'],
  ]
  test.each(rows)('%s', async (_, patch, reason) => {
    const outcome = await apply(patch)
    if (outcome.kind === 'refused') throw new Error(outcome.reason)
    const [before, after] = await Promise.all(
      [base, outcome.tree].map(async (tree) => {
        const entries = await store.list(tree)
        return { entries, linkTargets: await store.linkTargets(entries) }
      }),
    )
    const gate = gateTree(before!, after!, DEFAULT_TREE_CAPS)
    expect(gate.kind === 'refused' && gate.refusals.map((refusal) => refusal.reason)).toEqual([reason])
  })
})

describe('a patch over the caps', () => {
  /** A binary hunk the way git writes it: a letter for the length of each line, then base 85. */
  function binaryPatch(kind: 'literal' | 'delta', claimed: number, unpacked: Buffer, path = 'bomb'): string {
    const packed = deflateSync(unpacked)
    const lines: string[] = []
    for (let at = 0; at < packed.length; at += 52) {
      const piece = packed.subarray(at, at + 52)
      const letter =
        piece.length <= 26 ? String.fromCharCode(64 + piece.length) : String.fromCharCode(70 + piece.length)
      lines.push(letter + base85(piece))
    }
    const head =
      kind === 'literal'
        ? `new file mode 100644\nindex ${'0'.repeat(40)}..${'1'.repeat(40)}`
        : `index ${'2'.repeat(40)}..${'1'.repeat(40)} 100644`
    return `diff --git a/${path} b/${path}\n${head}\nGIT binary patch\n${kind} ${claimed}\n${lines.join('\n')}\n\nliteral 0\nHcmV?d00001\n\n`
  }
  test('a bomb that says its size is refused before it is unpacked', async () => {
    // What it unpacks to is not what it says: nobody has unpacked it to find out.
    const patch = binaryPatch('literal', 400_000_000, Buffer.alloc(100))
    const options = { caps: { ...DEFAULT_TREE_CAPS, totalBytes: 100_000_000 } }
    expect(await store.applyPatch(base, Buffer.from(patch), options)).toEqual({
      kind: 'refused',
      reason: 'the patch unpacks to 400000000 bytes; a tree may have 100000000',
    })
  })
  test('a bomb that lies about its size is refused by git', async () => {
    const outcome = await apply(binaryPatch('literal', 10, Buffer.alloc(50_000_000)))
    expect(outcome).toEqual({ kind: 'refused', reason: expect.stringMatching(/corrupt binary patch/) })
  })
  test('a patch of copies that makes more than a tree may have is refused, and leaves nothing', async () => {
    const large = await store.writeTree([file('big', Buffer.alloc(100_000, 1))])
    const copies = Array.from(
      { length: 50 },
      (_, index) => `diff --git a/big b/c${index}\nsimilarity index 100%\ncopy from big\ncopy to c${index}\n`,
    )
    const options = { caps: { ...DEFAULT_TREE_CAPS, totalBytes: 1_000_000 } }
    expect(await store.applyPatch(large, Buffer.from(copies.join('')), options)).toEqual({
      kind: 'refused',
      reason: 'the patched tree has 5100000 bytes; at most 1000000 are taken',
    })
  })
  test.runIf(process.platform === 'linux')(
    'a patch of copies that would take all memory ends git only',
    async () => {
      const large = await store.writeTree([file('big', Buffer.alloc(20_000_000, 1))])
      const copies = Array.from(
        { length: 30 },
        (_, index) =>
          `diff --git a/big b/c${index}\nsimilarity index 100%\ncopy from big\ncopy to c${index}\n`,
      )
      const options = { caps: { ...DEFAULT_TREE_CAPS, totalBytes: 20_000_000 } }
      expect(await store.applyPatch(large, Buffer.from(copies.join('')), options)).toEqual({
        kind: 'refused',
        reason: expect.stringMatching(/[Oo]ut of memory/),
      })
    },
  )
  test('a patch file that is too long is not looked at', async () => {
    const options = { caps: { ...DEFAULT_TREE_CAPS, patchBytes: 10 } }
    expect(await store.applyPatch(base, Buffer.from(added('x')), options)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/at most 10/),
    })
  })
})

test('a name that is not UTF-8 is refused', async () => {
  expect(await apply(added('"b\\351"'))).toEqual({
    kind: 'refused',
    reason: 'b\u00e9: the name is not UTF-8',
  })
})

test('white space at line ends stays as it is', async () => {
  const outcome = await apply(added('spaces', '100644', 'x \t '))
  expect(outcome.kind === 'applied' && (await store.readFile(outcome.tree, 'spaces'))?.toString()).toBe(
    'x \t \n',
  )
})

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
function base85(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4) {
    const word = Buffer.alloc(4)
    bytes.copy(word, 0, at, at + 4)
    let value = word.readUInt32BE()
    let group = ''
    for (let index = 0; index < 5; index += 1) {
      group = (ALPHABET[value % 85] ?? '') + group
      value = Math.floor(value / 85)
    }
    text += group
  }
  return text
}
