import { expect, it } from 'vitest'
import { runsAtOnce } from './capacity.ts'

const GIB = 2 ** 30
it.each([
  ['one more than there are cores', { cores: 4, freeBytes: 64 * GIB }, 5],
  ['as many as fit into memory', { cores: 16, freeBytes: 16 * GIB }, 5],
  ['one where none would fit', { cores: 8, freeBytes: GIB }, 1],
])('lets run at once %s', (_, host, expected) => {
  expect(runsAtOnce(host, { workerBytes: GIB, gradeBytes: GIB, attempts: 2 })).toBe(expected)
})
