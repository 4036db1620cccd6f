import { describe, expect, it } from 'vitest'
import { PLAIN, variedIn } from '../../specs/surroundings.ts'
import { readOffers, surroundingsGiven } from './offers.ts'

describe('what a wrapper offers', () => {
  it.each([
    ['all', { clock: true, runtimes: 'node-20 node-22' }, { clock: true, runtimes: ['node-20', 'node-22'] }],
    ['nothing', { clock: false, runtimes: '' }, { clock: false, runtimes: [] }],
    ['nothing where it says nothing of it', {}, { clock: false, runtimes: [] }],
    [
      'nothing where it is not as it should be',
      { clock: 'true', runtimes: 22 },
      { clock: false, runtimes: [] },
    ],
  ])('%s', (_, body, offers) => expect(readOffers(body)).toEqual(offers))
})

describe('a run gets', () => {
  const planned = { ...PLAIN, ci: '1', clock: '27400', runtime: 'node-22' }
  it.each([
    ['what was planned', { clock: true, runtimes: ['node-22'] }, planned],
    ['the real clock', { clock: false, runtimes: ['node-22'] }, { ...planned, clock: '0' }],
    ['the own runtime', { clock: true, runtimes: ['node-20'] }, { ...planned, runtime: 'own' }],
    ['what needs nothing of the image', { clock: false, runtimes: [] }, { ...PLAIN, ci: '1' }],
  ])('%s', (_, offers, given) =>
    expect(variedIn(surroundingsGiven(offers, planned))).toEqual(variedIn(given)),
  )

  it('plain surroundings whatever there is', () => {
    expect(surroundingsGiven({ clock: true, runtimes: ['node-22'] }, PLAIN)).toEqual(PLAIN)
  })
})
