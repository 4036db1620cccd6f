import { describe, expect, it } from 'vitest'
import type { EncodedValue } from '../../specs/observation.ts'
import { sameEncoded } from './equal.ts'

describe('what the encoder could not look into', () => {
  it.each<[string, EncodedValue]>([
    ['an instance with no data of its own', { $t: 'instance', class: 'URLSearchParams', props: {} }],
    ['a promise', { $t: 'promise' }],
    ['a proxy', { $t: 'proxy' }],
    ['what a cap cut off', { $t: 'truncated', why: 'depth' }],
    ['such a value inside of another', [{ a: { $t: 'instance', class: 'deque', props: {} } }]],
  ])('%s equals nothing, itself included', (_, value) => {
    expect(sameEncoded(value, value, true)).toBe(false)
  })
  it('an instance with data equals one with the same data', () => {
    const value: EncodedValue = { $t: 'instance', class: 'Point', props: { x: 1 } }
    expect(sameEncoded(value, value, true)).toBe(true)
  })
})
