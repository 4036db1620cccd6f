import { describe, expect, it } from 'vitest'
import { readSeeds } from './read-seeds.ts'

const { kinds, attacks, lookAlikes } = readSeeds()

describe('the seeds', () => {
  it('are at least ninety of at least seventy kinds, and twenty-five look-alikes', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(90)
    expect(new Set(attacks.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(70)
    expect(lookAlikes.length).toBeGreaterThanOrEqual(25)
  })
  it('make use of every kind', () => {
    const used = new Set(attacks.map(({ kind }) => kind))
    expect(Object.keys(kinds).filter((kind) => !used.has(kind))).toEqual([])
  })
  it('have look-alikes of kinds that are there', () => {
    expect(lookAlikes.filter(({ resembles }) => !(resembles in kinds)).map(({ id }) => id)).toEqual([])
  })
})
