import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { buildContext, contextPath } from './build-context.ts'
import { splitName } from './engine-images.ts'
import { ownParents } from './resolve-image.ts'

test('the same files make the same bytes', async () => {
  const files = [{ path: 'Dockerfile', bytes: Buffer.from('FROM scratch\n') }]
  const [first, second] = await Promise.all([buffer(buildContext(files)), buffer(buildContext(files))])
  expect(first.equals(second)).toBe(true)
})

test('a tarball that cannot be read breaks the context', async () => {
  const context = buildContext([], [{ tarball: '/no/such.tgz', from: 'a', to: 'b' }])
  await expect(buffer(context)).rejects.toThrow(/ENOENT/)
})

describe('where an entry of a package goes', () => {
  test.each([
    ['package/bin/node', 'package/bin/node', 'node', 'node'],
    ['package/bin/other', 'package/bin/node', 'node', undefined],
    ['package/lib/a.js', 'package/', 'npm/', 'npm/lib/a.js'],
    ['other/a.js', 'package/', 'npm/', undefined],
  ])('%s by %s → %s: %s', (name, from, to, path) => {
    expect(contextPath({ tarball: '', from, to }, name)).toBe(path)
  })
})

test.each([
  ['assay/node:abc', 'assay/node', 'abc'],
  ['127.0.0.1:5000/assay/node:abc', '127.0.0.1:5000/assay/node', 'abc'],
  ['127.0.0.1:5000/assay/node', '127.0.0.1:5000/assay/node', 'latest'],
])('%s is %s and %s', (name, repository, tag) => {
  expect(splitName(name)).toEqual({ repository, tag })
})

test('a Dockerfile names our images by arguments', () => {
  expect(ownParents('ARG ASSAY_NODE\nFROM ${ASSAY_NODE}\narg assay_other\nARG ASSAY_WORKER=x\n')).toEqual([
    'node',
  ])
  expect(ownParents('FROM debian\n')).toEqual([])
})
