import { describe, expect, it } from 'vitest'
import { PLAIN, variedIn } from '../../specs/surroundings.ts'
import { readOffers, surroundingsGiven } from './offers.ts'

const ALL = { clock: true, runtimes: ['node-20', 'node-22'], terminals: true }
const NOTHING = { clock: false, runtimes: [], terminals: false }

describe('what a wrapper offers', () => {
  it.each([
    ['all', { clock: true, runtimes: 'node-20 node-22', terminals: true }, ALL],
    ['nothing', { clock: false, runtimes: '', terminals: false }, NOTHING],
    ['nothing where it says nothing of it', {}, NOTHING],
    ['nothing where it is not as it should be', { clock: 'true', runtimes: 22, terminals: 1 }, NOTHING],
  ])('%s', (_, body, offers) => expect(readOffers(body)).toEqual(offers))
})

describe('a run gets', () => {
  const planned = { ...PLAIN, ci: '1', clock: '27400', runtime: 'node-22', tty: 'yes' }
  it.each([
    ['what was planned', ALL, planned],
    ['the real clock', { ...ALL, clock: false }, { ...planned, clock: '0' }],
    ['the own runtime', { ...ALL, runtimes: ['node-20'] }, { ...planned, runtime: 'own' }],
    ['no terminal', { ...ALL, terminals: false }, { ...planned, tty: 'no' }],
    ['what needs nothing of the image', NOTHING, { ...PLAIN, ci: '1' }],
  ])('%s', (_, offers, given) =>
    expect(variedIn(surroundingsGiven(offers, planned))).toEqual(variedIn(given)),
  )

  it('plain surroundings whatever there is', () => {
    expect(surroundingsGiven(ALL, PLAIN)).toEqual(PLAIN)
  })
})
