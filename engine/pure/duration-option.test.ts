import { expect, it } from 'vitest'
import { durationOption } from './duration-option.ts'

it.each([
  ['30s', 30_000],
  ['90m', 5_400_000],
  ['596h', 2_145_600_000],
])('takes %s', (text, ms) => expect(durationOption('--budget', text)).toBe(ms))
it.each(['', '0s', '5', '1.5h', '-1h', '1d', ' 1h', '600h', '999999h'])(
  'refuses %j, and names the option',
  (text) => {
    expect(() => durationOption('--budget', text)).toThrow(/^--budget: expected /)
  },
)
