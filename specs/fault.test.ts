import { readdirSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Fault, toFault } from './fault.ts'

const errno = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more })

it.each<[string, unknown, string, RegExp]>([
  ['a fault stays itself', new Fault('config/task', 'x'), 'config/task', /^x$/],
  ['an abort', new DOMException('stop', 'AbortError'), 'interrupted/aborted', /interrupted/],
  ['a full disk', errno('ENOSPC', { path: '/s/blob' }), 'infra/disk-full', /^\/s\/blob: no space is left/],
  ['a used-up quota', errno('EDQUOT', { path: '/s' }), 'infra/disk-full', /quota/],
  ['a broken disk', errno('EIO', { syscall: 'read' }), 'infra/disk', /^read: the disk failed/],
  ['a read-only state', errno('EROFS', { path: '/s' }), 'infra/disk', /read-only/],
  ['a state of another user', errno('EACCES', { path: '/s' }), 'infra/permission', /^\/s: permission denied/],
  ['too many open files', errno('EMFILE', { path: '/s' }), 'infra/open-files', /too many open files/],
  ['too many files of the host', errno('ENFILE'), 'infra/open-files', /^the host: .*too many/],
  ['a code that is no fault of the host', errno('ERR_INVALID_ARG_TYPE'), 'bug/unexpected', /ERR_INVALID/],
  ['a code that an object inherits', errno('constructor'), 'bug/unexpected', /constructor/],
  ['any other error', new TypeError('x is undefined'), 'bug/unexpected', /x is undefined/],
  ['nothing', undefined, 'bug/unexpected', /undefined/],
])('%s', (_, error, code, message) => {
  const fault = toFault(error)
  expect(fault.code).toBe(code)
  expect(fault.message).toMatch(message)
})

it('knows what Node throws', () => {
  const thrown = (act: () => unknown) => {
    try {
      return act()
    } catch (error) {
      return toFault(error).code
    }
  }
  expect(thrown(() => writeFileSync('/dev/full', 'x'))).toBe('infra/disk-full')
  expect(thrown(() => readdirSync('/no/such/folder'))).toBe('bug/unexpected')
})
