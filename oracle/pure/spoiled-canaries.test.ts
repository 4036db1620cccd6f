import { expect, it } from 'vitest'
import type { CanarySeen } from '../../specs/examiner.ts'
import { filesWithOwnOnly, spoiledBy, withoutCopies } from './spoiled-canaries.ts'

const A = 'suites/unit/a.py'
const B = 'suites/unit/b.py'
const seen = (file: string, model: number | undefined, state: CanarySeen['state']): CanarySeen => ({
  file,
  ...(model === undefined ? {} : { model }),
  state,
})
const fine = seen(A, 9, 'failed')

it.each<[string, 'base' | 'right trial', CanarySeen[], object]>([
  ['none that fails', 'base', [fine, seen(A, 1, 'failed')], {}],
  ['one that passes on base', 'base', [fine, seen(A, 3, 'passed'), seen(A, 1, 'passed')], { [A]: [1, 3] }],
  ['one that passes on a right trial', 'right trial', [seen(B, 0, 'passed')], { [B]: [0] }],
  ['one that is silent on a right trial', 'right trial', [fine, seen(A, 2, 'silent')], { [A]: [2] }],
  ['none that is silent on base, where a file may not load', 'base', [seen(A, 2, 'silent')], {}],
  [
    'all of a file that does not load on a right trial',
    'right trial',
    [seen(A, 2, 'silent'), seen(A, 4, 'silent')],
    { [A]: 'all' },
  ],
  ['none that is a copy of nothing', 'base', [seen(A, undefined, 'passed')], {}],
])('spoiled is %s', (_, on, canaries, spoiled) => {
  expect(spoiledBy({}, [{ on, canaries }])).toEqual(spoiled)
})

it('what is spoiled stays so, and nothing more is the same list', () => {
  const known = { [A]: [4], [B]: 'all' as const }
  const passed = [{ on: 'base' as const, canaries: [seen(A, 1, 'passed'), seen(B, 1, 'passed')] }]
  expect(spoiledBy(known, passed)).toEqual({ [A]: [1, 4], [B]: 'all' })
  expect(spoiledBy(known, [{ on: 'base', canaries: [fine] }])).toBe(known)
  expect(withoutCopies(known, [A])).toEqual({ [A]: 'all', [B]: 'all' })
})

it('files are named whose canaries assert nothing of the product', () => {
  const canaries = [seen(B, undefined, 'failed'), fine, seen(B, undefined, 'failed')]
  expect(filesWithOwnOnly([{ on: 'base', canaries }])).toEqual([B])
})
