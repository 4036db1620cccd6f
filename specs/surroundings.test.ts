import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { SuiteRun } from './check-set.ts'
import {
  describeSurroundings,
  differingDimensions,
  DIMENSIONS,
  pinsFor,
  PLAIN,
  plainBut,
  surroundingsOf,
  variedIn,
  variedSchema,
} from './surroundings.ts'

const SEED = '0123456789abcdef'.repeat(4)
/** What is said by calls of a scenario. */
const CALLED = ['calls', 'uses', 'overlap'] as const
const probe = (row: string, more: object = {}) => ({
  row,
  mechanism: 'scenario' as const,
  writable: false,
  timeoutMs: 1000,
  ...more,
})

test.prop([fc.string(), fc.nat({ max: 20 }), fc.subarray([...DIMENSIONS])])(
  'are plain in the first run, the same for the same seed, and never varied where they are pinned',
  (row, run, pinned) => {
    expect(surroundingsOf(SEED, probe(row), 0)).toEqual(PLAIN)
    const once = surroundingsOf(SEED, probe(row), run, pinned)
    expect(surroundingsOf(SEED, probe(row), run, pinned)).toEqual(once)
    expect(pinned.filter((dimension) => once[dimension] !== PLAIN[dimension])).toEqual([])
    expect(variedSchema.parse(variedIn(once))).toEqual(variedIn(once))
    expect(plainBut(variedIn(once), DIMENSIONS)).toEqual(once)
  },
)

it('cannot be told without the seed', () => {
  const all = ['a', 'b'].map((digit) => surroundingsOf(digit.repeat(64), probe('row'), 1))
  expect(all[0]).not.toEqual(all[1])
})

test.prop([fc.nat().map((n) => n.toString(16).padStart(64, '0')), fc.nat({ max: 9 })])(
  'of two rows of Node.js in turn, one loads at use, and one has all other calls',
  (seed, turn) => {
    const [a, b] = [turn, turn + 1].map((one) =>
      surroundingsOf(seed, probe(`row#${one}`, { scenario: 'scenarios/a.mjs', turn: one }), 1),
    )
    expect([a!.load, b!.load].sort()).toEqual(['at use', 'import'])
    const [atUse, imported] = a!.load === 'at use' ? [a!, b!] : [b!, a!]
    const isPlain = (one: typeof PLAIN) => CALLED.map((dimension) => one[dimension] === PLAIN[dimension])
    expect([isPlain(atUse), isPlain(imported)]).toEqual([
      [true, true, true],
      [false, false, false],
    ])
  },
)

it('of the second runs of a dozen rows cover every dimension', () => {
  const rowsOf = (scenario: string) =>
    Array.from({ length: 12 }, (_, n) =>
      variedIn(surroundingsOf(SEED, probe(`row#${n}`, { scenario, turn: n }), 1)),
    )
  const coveredBy = (varied: readonly object[]) => [...new Set(varied.flatMap((one) => Object.keys(one)))]
  const others = (without: string) => DIMENSIONS.filter((dimension) => dimension !== without).sort()
  const rows = rowsOf('scenarios/a.mjs')
  expect(coveredBy(rows).sort()).toEqual(others('interpreter'))
  expect(coveredBy(rowsOf('scenarios/a.py')).sort()).toEqual(others('main'))
  expect(new Set(rows.map(({ timeZone }) => timeZone)).size).toBeGreaterThan(3)
})

/** What is said by the process of a scenario. */
const STARTED = ['main', 'interpreter']

describe('are left as they are where another would make a check another one', () => {
  it.each([
    [
      'a command is neither loaded nor called',
      { mechanism: 'command' },
      ['load', ...CALLED, ...STARTED, 'age'],
    ],
    ['a service neither', { mechanism: 'service' }, ['load', ...CALLED, ...STARTED, 'age']],
    [
      'a scenario that writes into its tree is called once',
      { writable: true },
      [...CALLED, 'interpreter', 'age'],
    ],
    ['a slow one is called once', { timeoutMs: 60_000 }, [...CALLED, 'interpreter', 'age']],
  ])('%s', (_, more, plain) => {
    const seen = new Set<string>()
    for (let run = 1; run < 60; run += 1) {
      for (const key of Object.keys(variedIn(surroundingsOf(SEED, probe('r', more), run)))) seen.add(key)
    }
    expect(DIMENSIONS.filter((dimension) => !seen.has(dimension))).toEqual(plain)
  })
})

it('have one person for a whole seal, whom every later run meets, and another for another seal', () => {
  const usersOf = (seed: string) =>
    Array.from({ length: 20 }, (_, n) => surroundingsOf(seed, probe(`row#${n}`), 1 + (n % 3)).user)
  const people = Array.from({ length: 16 }, (_, n) => new Set(usersOf(n.toString(16).repeat(64))))
  expect(people.every(({ size }) => size === 1)).toBe(true)
  const all = new Set(people.flatMap((one) => [...one]))
  expect(all.has(PLAIN.user)).toBe(false)
  expect(all.size).toBeGreaterThan(2)
})

describe('of a suite', () => {
  const rowOf = (row: string, more: Partial<SuiteRun> = {}) => {
    const listed = ['a', 'b'].map((one) => ({ row: one, test: one, role: 'guard' as const }))
    const common = { id: 'unit', folder: 'suites/unit', timeoutMs: 120_000, others: 'refuse' as const }
    const suite: SuiteRun = { ...common, framework: 'node-test', listed, ...more }
    return { row, mechanism: 'suite' as const, writable: false, timeoutMs: suite.timeoutMs, suite }
  }
  const inSecondRun = (more: Partial<SuiteRun> = {}) =>
    Object.keys(variedIn(surroundingsOf(SEED, rowOf('a', more), 1)))

  it('are the same for all of its rows, and others for another suite', () => {
    for (const run of [1, 2, 3]) {
      const first = surroundingsOf(SEED, rowOf('a'), run)
      expect(surroundingsOf(SEED, rowOf('b'), run)).toEqual(first)
      expect(surroundingsOf(SEED, rowOf('a', { id: 'other' }), run)).not.toEqual(first)
    }
  })

  test.prop([fc.string()])(
    'leave nothing plain in its second run, but for what is no matter of tests',
    (id) => {
      const plain = ['workdir', 'load', ...CALLED, ...STARTED, 'age']
      expect(inSecondRun({ id })).toEqual(DIMENSIONS.filter((dimension) => !plain.includes(dimension)))
    },
  )

  it('leave to a framework what that says itself', () => {
    for (const framework of ['jest', 'vitest'] as const) {
      expect(inSecondRun({ framework })).not.toContain('nodeEnv')
      expect(inSecondRun({ framework })).not.toContain('ci')
      expect(inSecondRun({ framework })).not.toContain('tty')
      expect(inSecondRun({ framework })).toContain('timeZone')
    }
  })

  it('stay plain where one of its rows is pinned; those of a row alone, where that is', () => {
    const pins = new Map([
      ['b', ['umask', 'timeZone'] as const],
      ['c', ['language'] as const],
    ])
    expect(pinsFor(rowOf('a'), pins)).toEqual(['timeZone', 'umask'])
    expect(pinsFor({ row: 'a' }, pins)).toEqual([])
    expect(pinsFor({ row: 'c' }, pins)).toEqual(['language'])
  })
})

it('never hold a marker of a test runner', () => {
  for (let run = 0; run < 200; run += 1) {
    expect(Object.values(surroundingsOf(SEED, probe('r'), run)).join()).not.toMatch(/test|jest|vitest/i)
  }
})

describe('in words', () => {
  it.each([
    ['nothing varied', {}, 'plain surroundings'],
    [
      'variables',
      { timeZone: 'Asia/Kolkata', nodeEnv: 'production' },
      'TZ=Asia/Kolkata, NODE_ENV=production',
    ],
    [
      'the rest',
      { folders: 'long', workdir: 'in use', umask: '077', load: 'import', calls: '3' },
      'HOME and TMPDIR deep, with spaces and umlauts, working directory in use, umask 077, loaded by import, call 3 in one process',
    ],
    [
      'who, at what and where',
      { user: '1000', tty: 'yes', place: 'with a space' },
      'uid 1000, on a terminal, a copy of the tree in a folder with a space',
    ],
  ])('%s', (_, varied, text) => expect(describeSurroundings(varied)).toBe(text))

  it('only what differs', () => {
    const [here, there] = [{ timeZone: 'Asia/Kolkata', ci: '1' }, { ci: '1' }]
    const only = differingDimensions(here, there)
    expect([here, there].map((one) => describeSurroundings(one, only))).toEqual(['TZ=Asia/Kolkata', 'TZ=UTC'])
  })
})
