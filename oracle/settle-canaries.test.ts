import { describe, expect, it } from 'vitest'
import { checkSetSchema } from '../specs/check-set.ts'
import type { CanarySeen } from '../specs/examiner.ts'
import type { SpoiledCanaries } from '../specs/seal.ts'
import { settleCanaries, type Gathered } from './settle-canaries.ts'

const FILE = 'suites/unit/tests/test_a.py'
const document = checkSetSchema.parse({
  version: 1,
  claims: [{ id: 'all', kind: 'keep', statement: 's', spec_ref: 'r' }],
  suites: [{ id: 'unit', framework: 'pytest', files: 'suites/unit' }],
  checks: [{ id: 'kept', claim: 'all', role: 'guard', suite: 'unit', test: 'tests/test_a.py::test_a' }],
})

/** A file with three models: what a run on base shows with those that are left. */
function gatherOf(base: (planted: readonly number[]) => { states: CanarySeen['state'][]; guard: boolean }) {
  const asked: SpoiledCanaries[] = []
  const gather = (spoiled: SpoiledCanaries): Promise<Gathered> => {
    asked.push(spoiled)
    const gone = spoiled[FILE] ?? []
    const planted = [0, 1, 2].filter((model) => gone !== 'all' && !gone.includes(model))
    const { states, guard } = base(planted)
    const rule = {
      row: 'kept',
      check: 'kept',
      claim: 'all',
      role: 'guard' as const,
      split: 'feedback' as const,
      seed: 0,
    }
    const observation = { outcome: 'returned' as const, value: {}, steps: [] }
    const canaries: CanarySeen[] =
      planted.length === 0
        ? [{ file: FILE, state: 'failed' }]
        : planted.map((model, index) => ({ file: FILE, model, state: states[index] ?? 'failed' }))
    return Promise.resolve({
      evidence: {
        document,
        rows: [
          {
            rule,
            runs: [{ observation, pass: guard }],
            times: 1,
            findings: [],
            passedByTrivial: [],
            isJudgeSilent: false,
          },
        ],
        findings: [],
        trials: [],
        baseObservations: {},
      },
      canaries: [{ on: 'base', canaries }],
    })
  }
  return { gather, asked }
}

describe('canaries of a suite', () => {
  it('that fail are tried once', async () => {
    const { gather, asked } = gatherOf(() => ({ states: [], guard: true }))
    const evidence = await settleCanaries(gather)
    expect(asked).toEqual([{}])
    expect(evidence.canaries).toEqual({ spoiled: {}, ownOnly: [] })
  })

  it('that pass on base give way to others', async () => {
    const { gather, asked } = gatherOf((planted) => ({
      states: planted.map((model) => (model === 1 ? 'passed' : 'failed')),
      guard: true,
    }))
    const evidence = await settleCanaries(gather)
    expect(asked).toEqual([{}, { [FILE]: [1] }])
    expect(evidence.canaries).toEqual({ spoiled: { [FILE]: [1] }, ownOnly: [] })
  })

  it('give way to one of our own in the end, and that is said', async () => {
    const { gather, asked } = gatherOf((planted) => ({ states: planted.map(() => 'passed'), guard: true }))
    const evidence = await settleCanaries(gather)
    expect(asked.length).toBeLessThan(6)
    expect(evidence.canaries?.ownOnly).toEqual([FILE])
  })

  it('that disturb a test beside them are taken away, those that do not are kept', async () => {
    const disturbing = gatherOf((planted) => ({ states: [], guard: planted.length === 0 }))
    expect((await settleCanaries(disturbing.gather)).canaries).toEqual({
      spoiled: { [FILE]: 'all' },
      ownOnly: [FILE],
    })
    const broken = gatherOf(() => ({ states: [], guard: false }))
    expect((await settleCanaries(broken.gather)).canaries).toEqual({ spoiled: {}, ownOnly: [] })
    expect(broken.asked).toHaveLength(2)
  })
})
