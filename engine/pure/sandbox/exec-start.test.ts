import { expect, test } from 'vitest'
import { endOfUnstarted } from './exec-start.ts'

const runc = (why: string) =>
  `OCI runtime exec failed: exec failed: unable to start container process: ${why}: unknown\r\n`

test.each([
  [
    'a program that is not there',
    runc('exec: "nope": executable file not found in $PATH'),
    { kind: 'exited', code: 127 },
  ],
  [
    'a path that is not there',
    runc('exec: "/nope": stat /nope: no such file or directory'),
    { kind: 'exited', code: 127 },
  ],
  [
    'a file that is no program',
    runc('exec: "/etc/passwd": permission denied'),
    { kind: 'exited', code: 126 },
  ],
  ['a program for another machine', runc('exec /x: exec format error'), { kind: 'exited', code: 126 }],
  [
    'a box full of processes',
    runc('fork/exec: resource temporarily unavailable'),
    { kind: 'limit', limit: 'processes' },
  ],
  ['a box full of memory', runc('fork/exec: cannot allocate memory'), { kind: 'limit', limit: 'memory' }],
])('%s', (_, text, end) => expect(endOfUnstarted(126, text)).toEqual(end))

test('anything else is the engine’s fault, with its words', () => {
  expect(() => endOfUnstarted(128, runc('setns: something'))).toThrow(
    /exec\.start: exit code 128, OCI .*setns/,
  )
  expect(() => endOfUnstarted(128, '')).toThrow(/no reason given/)
})
