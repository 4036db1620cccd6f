import { describe, expect, it } from 'vitest'
import type { Expectation } from '../../specs/expectation.ts'
import { matchObservation } from './match.ts'
import { trivialProducts } from './trivial-products.ts'

const passedBy = (probe: Parameters<typeof trivialProducts>[0], expectation: Expectation) =>
  trivialProducts(probe)
    .filter(({ observation }) => matchObservation(expectation, observation).pass)
    .map(({ name }) => name)

describe('trivial products pass', () => {
  it.each<[string, Expectation, readonly string[]]>([
    ['null where null is expected', { returns: null }, ['null']],
    ['an error where any error is expected', { throws: { $error: {} } }, ['an error']],
    ['nothing where a message is expected', { throws: { $error: { message: { $matches: 'port' } } } }, []],
    ['[] and "" where a length of 0 is', { returns: { $length: 0 } }, ['""', '[]']],
    ['nothing where a value of substance is expected', { returns: { a: 1 } }, []],
  ])('%s', (_name, expectation, names) => {
    expect(passedBy({ mechanism: 'scenario' }, expectation)).toEqual(names)
  })

  it('a silent exit where a command is only to succeed', () => {
    const command = { argv: ['x'], cwd: 'tmp' as const, observe: ['gone'] }
    const expectation = { exits: { code: 0, files: { gone: { $absent: true } } } }
    expect(passedBy({ mechanism: 'command', command }, expectation)).toEqual(['exit 0, no output'])
  })
})
