import { describe, expect, it } from 'vitest'
import type { Observation } from '../../specs/observation.ts'
import { PLAIN } from '../../specs/surroundings.ts'
import { asIfAt, isMovable, treePlace } from './tree-place.ts'

describe('the place of a tree', () => {
  it.each([
    ['is the workdir', false, 'workdir', { at: '/srv/app', isCopy: false }],
    ['is in the run’s folder where a check writes', true, 'workdir', { at: '/tmp/run/app', isCopy: true }],
    ['is a person’s', false, 'projects', { at: '/home/lena/projects/app', isCopy: true }],
    [
      'is a person’s for whoever writes, too',
      true,
      'projects',
      { at: '/home/lena/projects/app', isCopy: true },
    ],
    ['has a space', false, 'with a space', { at: '/home/lena/my projects/app', isCopy: true }],
  ])('%s', (_, writable, place, expected) => {
    const folders = { root: '/tmp/run', people: '/home/lena' }
    expect(treePlace('/srv/app', folders, { writable }, { ...PLAIN, place })).toEqual(expected)
  })

  it('is below the run’s folder where the box has none of a person', () => {
    const seen = treePlace(
      '/srv/app',
      { root: '/tmp/run' },
      { writable: false },
      { ...PLAIN, place: 'projects' },
    )
    expect(seen).toEqual({ at: '/tmp/run/projects/app', isCopy: true })
  })
})

describe('what is seen there', () => {
  const seen = (value: object): Observation => ({
    outcome: 'returned',
    value: value as Extract<Observation, { outcome: 'returned' }>['value'],
    steps: [],
  })

  it('is as if it had been seen in the usual place: in texts, in keys, in addresses', () => {
    const there = seen({
      message: "no file '/run/my projects/app/x', nor /run/my projects/app",
      '/run/my projects/app/key': ['file:///run/my%20projects/app/m.js'],
      other: '/run/my projects/ap',
    })
    expect(asIfAt(there, '/run/my projects/app', '/box/tree')).toEqual(
      seen({
        message: "no file '/box/tree/x', nor /box/tree",
        '/box/tree/key': ['file:///box/tree/m.js'],
        other: '/run/my projects/ap',
      }),
    )
  })

  it('is left alone in the usual place, to the object', () => {
    const here = seen(['/box/tree'])
    expect(asIfAt(here, '/box/tree', '/box/tree')).toBe(here)
  })
})

describe('a tree', () => {
  const tree = (count: number, sizeBytes: number) => Array.from({ length: count }, () => ({ sizeBytes }))
  it.each([
    ['that is empty', 0, 0, 64e6, true],
    ['of some files', 1000, 10_000, 64e6, true],
    ['of many', 1001, 1, 64e6, false],
    ['of much', 3, 7e6, 1e9, false],
    ['of more than a quarter of what /tmp takes', 2, 9e6, 64e6, false],
  ])('%s can be copied for a run: %#', (_, count, sizeBytes, tmpBytes, expected) => {
    expect(isMovable(tree(count, sizeBytes), tmpBytes)).toBe(expected)
  })
})
