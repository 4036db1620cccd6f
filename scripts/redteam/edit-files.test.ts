import { describe, expect, it } from 'vitest'
import { editFiles, type PlainFile } from './edit-files.ts'
import type { FileEdit } from './seed.ts'

const file = (text: string, mode: PlainFile['mode'] = '100644') => ({ mode, content: Buffer.from(text) })
const tree = new Map([['a.js', file('one\n')]])

function edited(edits: Readonly<Record<string, FileEdit>>) {
  return [...editFiles(tree, edits)].map(([path, { mode, content }]) => [
    path,
    mode,
    Buffer.from(content).toString('utf8'),
  ])
}

describe('edits of a seed', () => {
  it.each<[string, Readonly<Record<string, FileEdit>>, readonly (readonly string[])[]]>([
    ['a whole text', { 'a.js': 'two\n' }, [['a.js', '100644', 'two\n']]],
    ['text before', { 'a.js': { prepend: '// ' } }, [['a.js', '100644', '// one\n']]],
    ['text after', { 'a.js': { append: 'two\n' } }, [['a.js', '100644', 'one\ntwo\n']]],
    [
      'a replacement, taken literally',
      { 'a.js': { replace: 'one', with: "$'$&" } },
      [['a.js', '100644', "$'$&\n"]],
    ],
    ['a mode', { 'a.js': { executable: true } }, [['a.js', '100755', 'one\n']]],
    ['another name', { 'a.js': { renameTo: 'b.js' } }, [['b.js', '100644', 'one\n']]],
    ['nothing left', { 'a.js': { delete: true } }, []],
    [
      'new files beside it',
      { l: { linkTo: 'a.js' }, r: { repeat: 'ab', times: 2 }, b: { base64: 'eA==' } },
      [
        ['a.js', '100644', 'one\n'],
        ['l', '120000', 'a.js'],
        ['r', '100644', 'abab'],
        ['b', '100644', 'x'],
      ],
    ],
  ])('%s', (_name, edits, expected) => {
    expect(edited(edits)).toEqual(expected)
  })

  it.each<[string, Readonly<Record<string, FileEdit>>]>([
    ['a file that is not there', { 'b.js': { append: 'x' } }],
    ['a text that is not there', { 'a.js': { replace: 'two', with: 'three' } }],
    ['a deletion of nothing', { 'b.js': { delete: true } }],
  ])('refuses %s: the seed would do nothing', (_name, edits) => {
    expect(() => editFiles(tree, edits)).toThrow()
  })
})
