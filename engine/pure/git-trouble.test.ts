import { describe, expect, it } from 'vitest'
import { isTroubleOfTheHost } from './git-trouble.ts'

describe('a git that did not end well', () => {
  it.each<[string, number | null, string, boolean]>([
    ['was killed: of the host', null, '', true],
    [
      'had no room: of the host',
      128,
      'error: unable to create temporary file: No space left on device\nerror: unable to write file x',
      true,
    ],
    ['could not read the disk: of the host', 128, 'fatal: read error: Input/output error', true],
    ['does not apply: of the patch', 1, 'error: patch failed: a.txt:1\nerror: a.txt: does not apply', false],
    [
      'names a file like a disk error: of the patch',
      1,
      'error: No space left on device: does not exist in index',
      false,
    ],
    [
      'needs more memory than a tree may take: of the patch',
      128,
      'fatal: Out of memory, malloc failed',
      false,
    ],
    ['ended well: nobody', 0, 'warning: x: No space left on device', false],
  ])('%s', (_name, code, stderr, expected) => expect(isTroubleOfTheHost({ code, stderr })).toBe(expected))
})
