import { expect, it } from 'vitest'
import { PLAIN } from '../../specs/surroundings.ts'
import { readOffers, surroundingsGiven } from './offers.ts'

const planned = { ...PLAIN, ci: '1', tty: 'yes' }

it.each([
  ['a terminal is given where the box has one', { terminals: true }, planned],
  ['and not where it has none', { terminals: false }, { ...planned, tty: 'no' }],
  ['or does not say so', {}, { ...planned, tty: 'no' }],
  ['or says something else', { terminals: 'true' }, { ...planned, tty: 'no' }],
])('%s', (_, ready, given) => expect(surroundingsGiven(readOffers(ready), planned)).toEqual(given))
