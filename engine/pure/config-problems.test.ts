import { describe, expect, it } from 'vitest'
import { taskSchema } from '../../specs/task.ts'
import { describeIssues } from './config-problems.ts'

const good = {
  version: 1,
  id: 't',
  base: { from: 'npm', package: 'x', version: '1.2.3', integrity: 'sha512-AAAA' },
  image: 'node',
  oracle: { kind: 'files', directory: 'checks' },
}

describe('describeIssues', () => {
  it.each<[string, object, RegExp]>([
    ['names an unknown key', { ...good, colour: 'red' }, /^task\.yaml: \(top\): unknown key "colour"$/],
    ['names a missing field', { ...good, base: undefined }, /^task\.yaml: base: /],
    [
      'names the field inside a source',
      { ...good, base: { ...good.base, integrity: 'md5' } },
      /base\.integrity: /,
    ],
    ['names a wrong type', { ...good, workers: 'me' }, /workers: .*expected array/],
    [
      'names the element of a list',
      { ...good, workers: [{ kind: 'patch', file: '../x' }] },
      /workers\[0\]\.file: a path below/,
    ],
    [
      'speaks for the branch that came closest',
      { ...good, image: { dockerfile: 7 } },
      /image\.dockerfile: .*expected string/,
    ],
    ['says how many more there are', { version: 2 }, /version: expected 1; .*; .* \(and \d+ more\)$/],
    [
      'knows a wrong kind',
      { ...good, oracle: { kind: 'friend' } },
      /oracle\.kind: expected 'command' \| 'files'$/,
    ],
    [
      'names a mistyped key before the one that is missing',
      { ...good, image: undefined, imgae: 'node' },
      /^task\.yaml: \(top\): unknown key "imgae"; image: /,
    ],
    [
      'names every form of an image',
      { ...good, image: 'node:20' },
      /image: expected node, python, go, \{reference: …\} or \{dockerfile: …\}$/,
    ],
  ])('%s', (_, data, message) => {
    const parsed = taskSchema.safeParse(data)
    expect(parsed.success).toBe(false)
    expect(describeIssues('task.yaml', parsed.error!)).toMatch(message)
  })
})
