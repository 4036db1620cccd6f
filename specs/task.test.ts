import { describe, expect, it } from 'vitest'
import { taskSchema, workerSchema } from './task.ts'

const { workdir } = taskSchema.shape

describe('where a tree may stand', () => {
  it.each([
    '/box/tree',
    '/app',
    '/workspace/repo',
    '/testbed',
    '/src',
    '/home/user/project',
    '/opt/x',
    '/usr/src/app',
    '/root/x',
    '/var/www',
  ])('%s', (path) => expect(workdir.safeParse(path).success).toBe(true))
  it.each([
    '/',
    '/tmp',
    '/tmp/x',
    '/assay',
    '/assay/program',
    '/usr',
    '/usr/bin',
    '/usr/local/app',
    '/usr/src',
    '/etc',
    '/lib64',
    '/proc/1',
    '/dev',
    '/box',
    '/box/node_modules',
    '/root',
    '/var',
    '/var/tmp',
    'tree',
    '/a/../etc',
    '/a/./b',
    '/a//b',
    '/a/',
    '/a:b',
    '/a\n',
  ])('not %j', (path) => expect(workdir.safeParse(path).success).toBe(false))
})

describe('a command', () => {
  const command = { kind: 'command', argv: ['node', ''], env: { A_1: '' } }
  it('may have empty arguments', () => expect(workerSchema.safeParse(command).success).toBe(true))
  it.each([
    ['no program', { argv: [] }],
    ['an empty program', { argv: [''] }],
    ['a NUL in an argument', { argv: ['node', 'a\0b'] }],
    ['a name with = in its environment', { env: { 'A=B': '1' } }],
    ['a NUL in its environment', { env: { A: '\0' } }],
  ])('is refused with %s', (_name, change) =>
    expect(workerSchema.safeParse({ ...command, ...change }).success).toBe(false),
  )
})
