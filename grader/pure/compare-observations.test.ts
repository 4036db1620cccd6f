import { expect, it } from 'vitest'
import type { Json } from '../../specs/json.ts'
import type { Observation } from '../../specs/observation.ts'
import { compareObservations, firstDifference } from './compare-observations.ts'
import type { FreshProbe } from './fresh-probes.ts'

const fresh: FreshProbe = {
  from: 'double#two',
  probe: {
    row: 'fresh#1',
    check: 'double',
    mechanism: 'scenario',
    scenario: 'scenarios/a.mjs',
    writable: false,
    timeoutMs: 1000,
    seed: 7,
    input: 3,
  },
}
const returned = (value: Json): Observation => ({ outcome: 'returned', value, steps: [] })
const threw = (name: string, message: string): Observation => ({
  outcome: 'threw',
  error: { $t: 'error', name, message, classes: [name] },
  steps: [],
})
const timeout: Observation = { outcome: 'timeout', steps: [] }
const opaque = returned({ $t: 'instance', class: 'Secret', props: {} })
const compare = (...trees: readonly (readonly Observation[])[]) =>
  compareObservations(
    [fresh],
    trees.map((runs) => new Map([['fresh#1', runs]])),
  )

it.each<
  [string, readonly (readonly Observation[])[], { scenarios: number; unstable: number; differing: number }]
>([
  [
    'the same value',
    [
      [returned(6), returned(6)],
      [returned(6), returned(6)],
    ],
    { scenarios: 1, unstable: 0, differing: 0 },
  ],
  [
    'another value',
    [
      [returned(6), returned(6)],
      [returned(5), returned(5)],
    ],
    { scenarios: 1, unstable: 0, differing: 1 },
  ],
  [
    'errors that are worded otherwise',
    [
      [threw('TypeError', 'a'), threw('TypeError', 'a')],
      [threw('TypeError', 'b'), threw('TypeError', 'b')],
    ],
    { scenarios: 1, unstable: 0, differing: 0 },
  ],
  [
    'errors of another name',
    [
      [threw('TypeError', 'a'), threw('TypeError', 'a')],
      [threw('RangeError', 'a'), threw('RangeError', 'a')],
    ],
    { scenarios: 1, unstable: 0, differing: 1 },
  ],
  [
    'a value and none in time',
    [
      [returned(6), returned(6)],
      [timeout, timeout],
    ],
    { scenarios: 1, unstable: 0, differing: 1 },
  ],
  [
    'one that does now this, now that',
    [
      [returned(6), returned(7)],
      [returned(6), returned(6)],
    ],
    { scenarios: 1, unstable: 0, differing: 1 },
  ],
  [
    'ones that all do now this, now that',
    [
      [returned(6), returned(7)],
      [returned(8), returned(6)],
    ],
    { scenarios: 0, unstable: 1, differing: 0 },
  ],
  [
    'what cannot be looked into',
    [
      [opaque, opaque],
      [opaque, opaque],
    ],
    { scenarios: 0, unstable: 1, differing: 0 },
  ],
  [
    'one that did not come back',
    [[returned(6), returned(6)], []],
    { scenarios: 1, unstable: 0, differing: 1 },
  ],
  [
    'one that came back once',
    [[returned(6), returned(6)], [returned(6)]],
    { scenarios: 1, unstable: 0, differing: 1 },
  ],
  [
    'the third of three',
    [
      [returned(6), returned(6)],
      [returned(6), returned(6)],
      [returned(5), returned(5)],
    ],
    { scenarios: 1, unstable: 0, differing: 1 },
  ],
])('compares %s', (_, trees, expected) => {
  expect(compare(...trees)).toMatchObject(expected)
})

it('says the first difference with its input and what each tree gave', () => {
  const outcome = compare([returned(6), returned(6)], [returned(5), returned(5)])
  const trees = ['a'.repeat(40), 'b'.repeat(40)]
  const comparison = { version: 1 as const, seal: '', trees, ...outcome, findings: [] }
  expect(firstDifference(comparison)).toBe(
    'double#two with input 3: tree aaaaaaaaaaaa: returned 6; tree bbbbbbbbbbbb: returned 5',
  )
})
