import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { isJson } from '../../specs/json.ts'
import { observationSchema, type Observation } from '../../specs/observation.ts'
import { returned, threw, timeout } from '../testing/examiner.ts'
import { perturbed } from './perturb.ts'

const valuesOf = (observation: Observation) =>
  perturbed(observation).flatMap((one) => (one.outcome === 'returned' ? [one.value] : []))
const exited: Observation = {
  outcome: 'exited',
  code: 0,
  signal: null,
  stdout: { text: 'done\n' },
  stderr: { text: '' },
  files: { out: { kind: 'file', content: { text: 'x' }, mode: 420 } },
  steps: [],
}

test.prop([fc.jsonValue()])('are observations, all different, and never what was seen', (value) => {
  const seen = returned(value as never)
  const all = perturbed(seen)
  for (const one of all) expect(observationSchema.safeParse(one).success).toBe(true)
  const texts = all.map((one) => JSON.stringify(one))
  expect(new Set(texts).size).toBe(texts.length)
  expect(texts).not.toContain(JSON.stringify(seen))
  expect(all.length).toBeLessThan(40)
  expect(perturbed(seen)).toEqual(all)
})

describe('of what was seen', () => {
  it.each<[string, unknown, unknown[]]>([
    ['a number becomes another', { n: 1 }, [{ n: 2 }, { n: -2 }]],
    ['a text loses its end, and everything', ['ab'], [['a'], ['']]],
    ['a list is emptied, cut and turned round', [1, 2], [[], [2], [2, 1]]],
    [
      'a key is dropped, and one added',
      { a: 1, b: 2 },
      [{ b: 2 }, { a: 1 }, {}, { a: 1, b: 2, perturbed: true }],
    ],
    ['an answer is turned into its opposite', { ok: { is: true } }, [{ ok: { is: false } }]],
  ])('%s', (_, value, expected) => {
    for (const one of expected) expect(valuesOf(returned(value as never))).toContainEqual(one)
  })

  it('every other end is tried', () => {
    const ends = new Set(perturbed(returned(1)).map(({ outcome }) => outcome))
    expect([...ends].sort()).toEqual(['crashed', 'exited', 'limit', 'returned', 'threw', 'timeout'])
    expect(perturbed(timeout).map(({ outcome }) => outcome)).not.toContain('unreachable')
  })

  it('an error has another message, and stays an error', () => {
    expect(perturbed(threw('TypeError', 'no'))).toContainEqual(threw('TypeError', 'nox'))
  })

  it('a command has another code, other output, and its files are gone', () => {
    const all = perturbed(exited)
    expect(all).toContainEqual({ ...exited, code: 1 })
    expect(all).toContainEqual({ ...exited, stdout: { text: '' } })
    expect(all).toContainEqual({ ...exited, files: { out: { kind: 'absent' } } })
  })

  it('a value nested without end is changed in its first places only', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 150; depth += 1) deep = [deep]
    expect(isJson(deep)).toBe(true)
    expect(perturbed(returned(deep as never)).length).toBeLessThan(40)
  })
})
