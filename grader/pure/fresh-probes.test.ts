import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Probe } from '../../specs/check-set.ts'
import { canonicalJson } from '../../specs/digest.ts'
import type { Json } from '../../specs/json.ts'
import { freshInput } from './fresh-inputs.ts'
import { freshProbes } from './fresh-probes.ts'
import { seededRandom } from './shuffle.ts'

const SEED = 'a'.repeat(64)
const probe = (row: string, more: Partial<Probe> = {}): Probe => ({
  row,
  check: 'c',
  mechanism: 'scenario',
  scenario: 'scenarios/a.mjs',
  writable: false,
  timeoutMs: 1000,
  seed: 0,
  ...more,
})
const rows = [1, 2, 3].map((n) => probe(`c#${n}`, { input: { text: `x${n}`, list: [n, n + 1], on: true } }))

describe('fresh probes', () => {
  it('are as many as asked for, each another, none of them a row of the set', () => {
    const fresh = freshProbes(rows, SEED, 40, () => true)
    expect(fresh).toHaveLength(40)
    const inputs = [...rows, ...fresh.map(({ probe }) => probe)].map(({ input }) => canonicalJson(input))
    expect(new Set(inputs).size).toBe(43)
    expect(new Set(fresh.map(({ probe }) => probe.row)).size).toBe(40)
  })
  it('are the same for the same seal, and others for another', () => {
    expect(freshProbes(rows, SEED, 40, () => true)).toEqual(freshProbes(rows, SEED, 40, () => true))
    expect(freshProbes(rows, 'b'.repeat(64), 40, () => true)).not.toEqual(
      freshProbes(rows, SEED, 40, () => true),
    )
  })
  it('keep the form of a row', () => {
    for (const { probe } of freshProbes(rows, SEED, 40, () => true)) {
      expect(probe.input).toEqual({
        text: expect.any(String) as string,
        list: expect.any(Array) as Json[],
        on: expect.any(Boolean) as boolean,
      })
    }
  })
  it('of a row without input have other seeds', () => {
    const fresh = freshProbes([probe('c')], SEED, 5, () => true).map(({ probe }) => probe)
    expect(new Set(fresh.map(({ seed }) => seed)).size).toBe(5)
    // A scenario that never asks for random() would be the same one again.
    expect(freshProbes([probe('c')], SEED, 5, () => false)).toEqual([])
  })
  it('of a command change what is data, not the program, an option or a place', () => {
    const command = {
      argv: ['node', '{tree}/cli.js', '--indent', 'some text'],
      stdin: '{"a": 1}\n',
      cwd: 'tmp' as const,
    }
    const fresh = freshProbes([probe('c', { mechanism: 'command', command })], SEED, 20, () => true)
    expect(fresh.length).toBeGreaterThan(10)
    for (const { probe } of fresh) {
      expect(probe.command?.argv.slice(0, 3)).toEqual(['node', '{tree}/cli.js', '--indent'])
      expect(probe.command?.argv[3]).not.toBe('some text')
      expect(probe.command?.stdin).toBe(command.stdin)
    }
  })
  it('are none of a suite, and of a program that is given nothing', () => {
    const suite = {
      id: 's',
      framework: 'jest',
      folder: 'suites/s',
      timeoutMs: 1,
      others: 'ignore',
      listed: [],
    } as const
    expect(freshProbes([probe('c', { mechanism: 'suite', suite })], SEED, 5, () => true)).toEqual([])
    const command = { argv: ['node', '{tree}/cli.js'], cwd: 'tmp' as const }
    expect(freshProbes([probe('c', { mechanism: 'command', command })], SEED, 5, () => true)).toEqual([])
  })
})

describe('a fresh input', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
  property.prop([json, fc.array(json, { maxLength: 3 }), fc.integer()])(
    'is JSON that canonical JSON takes, and holds no key that was not there',
    (input, others, seed) => {
      const made = freshInput(input, others, seededRandom(seed))
      expect(() => canonicalJson(JSON.parse(JSON.stringify(made)))).not.toThrow()
      const known = new Set([input, ...others].flatMap(keysOf))
      for (const key of keysOf(made)) expect(known).toContain(key)
    },
  )
})

function keysOf(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value as Record<string, Json>).flatMap(keysOf)
  return Array.isArray(value) ? inner : [...Object.keys(value), ...inner]
}
