import { describe, expect, it } from 'vitest'
import type { RowRun } from '../../specs/grade.ts'
import { PLAIN, type Varied } from '../../specs/surroundings.ts'
import { returned, timeout } from '../testing/examiner.ts'
import {
  afterControl,
  byWhatTheyMet,
  pinsOf,
  surroundingsOfTry,
  suspectsOf,
  triesOf,
  type Suspect,
} from './pins.ts'

const run = (value: string, pass: boolean, surroundings?: Varied): RowRun => ({
  observation: value === 'hangs' ? timeout : returned(value),
  pass,
  ...(surroundings === undefined ? {} : { surroundings }),
})
const rowOf = (...runs: RowRun[]) => ({
  rule: { row: 'r', check: 'r', role: 'guard' as const, split: 'feedback' as const, seed: 0 },
  runs,
})
const INDIA = { timeZone: 'Asia/Kolkata', ci: '1' }

describe('a row is a suspect', () => {
  it.each<[string, RowRun[], number, number]>([
    ['not when all runs agree', [run('a', true), run('a', true, INDIA)], 0, 0],
    ['by what it shows, though it passes', [run('a', true), run('b', true, INDIA)], 1, 0],
    ['by passing in one and failing in the other', [run('a', true), run('b', false, INDIA)], 1, 1],
    ['not by two plain runs that differ', [run('a', true), run('b', false)], 0, 0],
    ['not when it hangs in one', [run('a', true), run('hangs', false, INDIA)], 0, 0],
    ['not without a plain run', [run('a', true, { ci: '1' }), run('b', false, INDIA)], 0, 0],
  ])('%s', (_, runs, byObservation, byVerdict) => {
    expect(suspectsOf([rowOf(...runs)], 'observation')).toHaveLength(byObservation)
    expect(suspectsOf([rowOf(...runs)], 'verdict')).toHaveLength(byVerdict)
  })
})

const suspect = (varied: RowRun, plain = run('a', true)): Suspect => {
  const [found] = suspectsOf([rowOf(plain, varied)], 'observation')
  if (found === undefined) throw new Error('no suspect')
  return found
}

describe('one more plain run', () => {
  const byValue = suspect(run('b', true, INDIA))
  const byVerdict = suspect(run('b', false, INDIA))
  it.each<[string, Suspect, RowRun, string | undefined]>([
    ['that shows the same confirms it', byValue, run('a', true), 'observation'],
    ['that shows something else clears a row that always passes', byValue, run('c', true), undefined],
    ['that shows something else leaves the verdict to compare', byVerdict, run('c', true), 'verdict'],
    ['that fails clears it of everything: it is not the surroundings', byVerdict, run('a', false), undefined],
  ])('%s', (_, one, control, sameness) => {
    expect(afterControl(one, rowOf(control))[0]?.sameness).toBe(sameness)
  })
})

it('suspects that met the same are tried together', () => {
  const [one, other, third] = [INDIA, { ci: '1' }, INDIA].map((met) => suspect(run('b', false, met)))
  expect(byWhatTheyMet([one, other, third] as Suspect[])).toEqual([[one, third], [other]])
})

it('each dimension that was varied is tried alone, and those that make the difference are pinned', () => {
  const one = suspect(run('b', false, INDIA))
  expect(triesOf([one])).toBe(2)
  expect(surroundingsOfTry(one, 0)).toEqual({ ...PLAIN, timeZone: 'Asia/Kolkata' })
  expect(surroundingsOfTry(one, 1)).toEqual({ ...PLAIN, ci: '1' })
  expect(surroundingsOfTry(one, 2)).toEqual(PLAIN)
  const india = { timeZone: 'Asia/Kolkata' }
  expect(pinsOf(one, [run('b', false, india), run('a', true, { ci: '1' })])).toEqual(['timeZone'])
  expect(pinsOf(one, [run('a', true, india), run('a', true, { ci: '1' })])).toEqual([])
})
