import { fc, test } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import { completeness, type RowRunKey } from './complete.ts'

const key = fc.record({ row: fc.constantFrom('a', 'b', 'c#1'), run: fc.nat({ max: 2 }) })
const keys = fc.uniqueArray(key, { selector: ({ row, run }) => `${row} ${run}` })

it.each<[string, readonly RowRunKey[], readonly string[]]>([
  ['a run that did not come back', [{ row: 'a', run: 0 }], ['missing-row']],
  [
    'a run that came back twice',
    [
      { row: 'a', run: 0 },
      { row: 'a', run: 1 },
      { row: 'a', run: 1 },
    ],
    ['duplicate-row'],
  ],
  [
    'a row that was not asked for',
    [
      { row: 'a', run: 0 },
      { row: 'a', run: 1 },
      { row: 'b', run: 0 },
    ],
    ['unknown-row'],
  ],
  [
    'a run that was not asked for',
    [
      { row: 'a', run: 0 },
      { row: 'a', run: 1 },
      { row: 'a', run: 2 },
    ],
    ['unknown-row'],
  ],
  [
    'one run in the place of another',
    [
      { row: 'a', run: 0 },
      { row: 'a', run: 0 },
    ],
    ['missing-row', 'duplicate-row'],
  ],
])('%s is a finding', (_name, received, kinds) => {
  const expected = [
    { row: 'a', run: 0 },
    { row: 'a', run: 1 },
  ]
  expect(completeness(expected, received).map(({ kind }) => kind)).toEqual(kinds)
})

test.prop([keys, fc.infiniteStream(fc.nat())])(
  'the same runs in any order are complete',
  (expected, order) => {
    const shuffled = expected
      .map((one) => ({ one, at: order.next().value ?? 0 }))
      .toSorted((a, b) => a.at - b.at)
    expect(
      completeness(
        expected,
        shuffled.map(({ one }) => one),
      ),
    ).toEqual([])
  },
)

test.prop([keys, fc.array(key)])('anything else is not', (expected, received) => {
  const text = (list: readonly RowRunKey[]) =>
    JSON.stringify(list.map(({ row, run }) => `${row} ${run}`).toSorted())
  expect(completeness(expected, received).length === 0).toBe(text(expected) === text(received))
})
