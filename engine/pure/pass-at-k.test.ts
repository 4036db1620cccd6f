import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { passAtK, passAtKs } from './pass-at-k.ts'

/** Looks at every choice of k among n attempts, of which the first c are right. */
function byEnumeration(n: number, c: number, k: number): number {
  let [all, some] = [0, 0]
  for (let mask = 0; mask < 2 ** n; mask++) {
    const chosen = Array.from({ length: n }, (_, at) => at).filter((at) => (mask >> at) & 1)
    if (chosen.length !== k) continue
    all += 1
    if (chosen.some((at) => at < c)) some += 1
  }
  return some / all
}

describe('pass@k', () => {
  property.prop([
    fc
      .integer({ min: 1, max: 9 })
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n }), fc.integer({ min: 1, max: n }))),
  ])('is the share of choices of k attempts with a right one', ([n, c, k]) => {
    expect(passAtK({ n, c }, k)).toBeCloseTo(byEnumeration(n, c, k), 12)
  })
  it('is a number for many attempts', () => {
    expect(passAtK({ n: 5000, c: 1 }, 2500)).toBeCloseTo(0.5, 9)
  })
  it('of tasks is their mean, with an interval, for as many k as all have attempts for', () => {
    const [one, two, three] = passAtKs([
      { n: 4, c: 4 },
      { n: 2, c: 0 },
    ])
    expect(one).toMatchObject({ k: 1, estimate: 0.5, interval: [0, 1] })
    expect(two).toMatchObject({ k: 2, estimate: 0.5 })
    expect(three).toBeUndefined()
    expect(passAtKs([{ n: 2, c: 1 }])).toEqual([
      { k: 1, estimate: 0.5 },
      { k: 2, estimate: 1 },
    ])
    expect(passAtKs([])).toEqual([])
  })
  property.prop([
    fc.array(fc.record({ n: fc.constant(3), c: fc.integer({ min: 0, max: 3 }) }), { minLength: 2 }),
  ])('says the same when it is asked again, within its interval', (tasks) => {
    const all = passAtKs(tasks)
    expect(passAtKs(tasks)).toEqual(all)
    for (const { estimate, interval } of all) {
      expect(estimate).toBeGreaterThanOrEqual((interval?.[0] ?? 0) - 1e-9)
      expect(estimate).toBeLessThanOrEqual((interval?.[1] ?? 1) + 1e-9)
    }
  })
})
