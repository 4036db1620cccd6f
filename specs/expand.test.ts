import { describe, expect, it } from 'vitest'
import { checkSetSchema } from './check-set.ts'
import { expandCheckSet, mergeCommand } from './expand.ts'

const expand = (checks: readonly unknown[]) =>
  expandCheckSet(
    checkSetSchema.parse({
      version: 1,
      claims: [{ id: 'c', kind: 'change', statement: 's', spec_ref: 'r' }],
      checks,
    }),
  )

describe('expandCheckSet', () => {
  it('gives a check without cases one row with the id of the check', () => {
    const { probes, rules } = expand([
      {
        id: 'a',
        claim: 'c',
        role: 'behaviour',
        scenario: 'scenarios/a.mjs',
        input: 1,
        expect: { returns: 2 },
      },
    ])
    expect(probes).toEqual([
      {
        row: 'a',
        check: 'a',
        mechanism: 'scenario',
        scenario: 'scenarios/a.mjs',
        writable: false,
        timeoutMs: 10_000,
        seed: 0,
        input: 1,
        turn: 0,
      },
    ])
    expect(rules).toEqual([
      {
        row: 'a',
        check: 'a',
        claim: 'c',
        role: 'behaviour',
        split: 'feedback',
        seed: 0,
        input: 1,
        expect: { returns: 2 },
      },
    ])
  })

  it('gives each case a row of its own, whose claim, input and expectation replace those of the check', () => {
    const { probes, rules } = expand([
      {
        id: 'a',
        claim: 'c',
        role: 'behaviour',
        scenario: 'scenarios/a.mjs',
        input: 'of the check',
        expect: { returns: 0 },
        cases: [
          { id: 'x' },
          { id: 'y', claim: 'd', input: null, expect: { returns: 1 } },
          { id: 'z', judge: 'judges/z.mjs' },
        ],
      },
    ])
    expect(probes.map((probe) => [probe.row, probe.input])).toEqual([
      ['a#x', 'of the check'],
      ['a#y', null],
      ['a#z', 'of the check'],
    ])
    expect(rules.map((rule) => [rule.row, rule.claim, rule.expect, rule.judge])).toEqual([
      ['a#x', 'c', { returns: 0 }, undefined],
      ['a#y', 'd', { returns: 1 }, undefined],
      ['a#z', 'c', undefined, 'judges/z.mjs'],
    ])
  })

  it('keeps every expectation out of the probes', () => {
    const { probes } = expand([
      {
        id: 'a',
        claim: 'c',
        role: 'guard',
        scenario: 'scenarios/a.mjs',
        cases: [{ id: 'x', expect: { returns: 'secret-value' } }],
      },
      { id: 'b', claim: 'c', role: 'guard', scenario: 'scenarios/a.mjs', judge: 'judges/secret-value.mjs' },
    ])
    expect(JSON.stringify(probes)).not.toContain('secret-value')
  })

  it('merges a row of a command over the command of its check', () => {
    const { probes } = expand([
      {
        id: 'a',
        claim: 'c',
        role: 'guard',
        command: { argv: ['node', 'x.js'], env: { A: '1', B: '1' }, files: { f: 'f' } },
        expect: { exits: { code: 0 } },
        cases: [
          { id: 'x', input: { argv: ['node', 'y.js'], env: { B: '2' }, files: { g: 'g' }, stdin: 'in' } },
        ],
      },
    ])
    expect(probes[0]?.command).toEqual({
      argv: ['node', 'y.js'],
      env: { A: '1', B: '2' },
      files: { f: 'f', g: 'g' },
      stdin: 'in',
      cwd: 'tmp',
    })
    expect(probes[0]).not.toHaveProperty('input')
  })

  it('calls a service with its scenario a service', () => {
    const { probes } = expand([
      {
        id: 'a',
        claim: 'c',
        role: 'guard',
        scenario: 'scenarios/a.mjs',
        service: { argv: ['node', '{tree}/server.js'], ready: { port: 8080 } },
        expect: { returns: 1 },
      },
    ])
    expect(probes[0]).toMatchObject({ mechanism: 'service', scenario: 'scenarios/a.mjs' })
  })
})

describe('mergeCommand', () => {
  it('leaves a command as it is where the row says nothing', () => {
    const command = { argv: ['a'], cwd: 'tree' as const }
    expect(mergeCommand(command, {})).toEqual(command)
  })
})

describe('a suite', () => {
  it('is shared by its rows, which expect their test to pass', () => {
    const { probes, rules } = expandCheckSet(
      checkSetSchema.parse({
        version: 1,
        claims: [{ id: 'c', kind: 'change', statement: 's', spec_ref: 'r' }],
        suites: [{ id: 'unit', framework: 'pytest', files: 'suites/unit', timeoutMs: 5000 }],
        checks: [
          {
            id: 'a',
            claim: 'c',
            role: 'behaviour',
            suite: 'unit',
            cases: [{ id: 'one', test: 't.py::one' }],
          },
          { id: 'b', role: 'canary', suite: 'unit', test: 't.py::two' },
        ],
      }),
    )
    const suite = {
      id: 'unit',
      framework: 'pytest',
      folder: 'suites/unit',
      timeoutMs: 5000,
      others: 'refuse',
      listed: [
        { row: 'a#one', test: 't.py::one', role: 'behaviour' },
        { row: 'b', test: 't.py::two', role: 'canary' },
      ],
    }
    expect(probes).toMatchObject([
      { row: 'a#one', mechanism: 'suite', suite, test: 't.py::one', timeoutMs: 5000 },
      { row: 'b', mechanism: 'suite', suite, test: 't.py::two' },
    ])
    // Rows of one suite are run together: they are told by it being the same.
    expect(probes[0]?.suite).toBe(probes[1]?.suite)
    expect(rules).toMatchObject([
      { row: 'a#one', claim: 'c', strength: 'in_process', expect: { returns: { status: 'passed' } } },
      { row: 'b', strength: 'in_process', expect: { returns: { status: 'passed' } } },
    ])
  })
})
