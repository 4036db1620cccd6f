import { describe, expect, it } from 'vitest'
import type { EventBody } from '../../specs/journal.ts'
import { Fault, type FaultCode } from '../../specs/fault.ts'
import { policySchema, type Policy } from '../../specs/policy.ts'
import { graded, opened, sealed } from '../testing/events.ts'
import { decideChange, outcomeOf, type ChangeActions } from './decide-change.ts'

type EventOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>

interface World {
  readonly seal?: EventOf<'sealed'> | EventOf<'not-sealed'>
  readonly opened?: Partial<EventOf<'opened'>>
  readonly graded?: Partial<EventOf<'graded'>>
}

async function decided(world: World, policy: Partial<Policy> = {}) {
  const done: string[] = []
  const tell = <T>(what: string, event: T) => {
    done.push(what)
    return Promise.resolve(event)
  }
  const actions: ChangeActions = {
    seal: () => tell('seal', world.seal ?? (sealed as EventOf<'sealed'>)),
    open: () => tell('open', { ...(opened(1) as EventOf<'opened'>), ...world.opened }),
    grade: () => tell('grade', { ...(graded(1, 'verified') as EventOf<'graded'>), ...world.graded }),
  }
  const { end } = await decideChange(policySchema.parse(policy), actions)
  return { done, ...outcomeOf(end) }
}

const all = ['seal', 'open', 'grade']
const changed = (satisfied: boolean) =>
  ({ kind: 'changed', paths: ['package.json'], satisfied, missing: [] }) as EventOf<'opened'>['dependencies']

describe('a change is decided as an attempt of a run', () => {
  it.each<[string, World, Partial<Policy>, object]>([
    ['verified: exit 0', {}, {}, { done: all, verdict: 'verified', exitCode: 0 }],
    [
      'refuted: exit 1, and no feedback',
      { graded: { verdict: 'refuted', failed: 1 } },
      {},
      { done: all, verdict: 'refuted', exitCode: 1 },
    ],
    [
      'refused at the gate: exit 1, ungraded',
      { opened: { gate: { kind: 'refused', refusals: [] } } },
      {},
      { done: ['seal', 'open'], verdict: 'refuted', exitCode: 1 },
    ],
    [
      'not sealed: held, unopened',
      { seal: { type: 'not-sealed', reasons: ['no claim'], gap: 'spec' } },
      {},
      { done: ['seal'], verdict: 'unverifiable', heldFor: 'not-sealed', missing: 'no claim', exitCode: 3 },
    ],
    [
      'with findings: held as tampered whatever the verdict',
      { graded: { verdict: 'refuted', findings: 1, failed: 1 } },
      {},
      { done: all, heldFor: 'tampered', exitCode: 3 },
    ],
    [
      'verified on weaker evidence than the policy demands: held, as a run is',
      { graded: { strength: 'in_process' } },
      {},
      { done: all, verdict: 'unverifiable', heldFor: 'strength', exitCode: 3 },
    ],
    [
      'verified on that where the policy takes it',
      { graded: { strength: 'in_process' } },
      { strength: 'in_process' },
      { done: all, verdict: 'verified', exitCode: 0 },
    ],
    [
      'verified without a guard where the policy requires one: held',
      { seal: { ...(sealed as EventOf<'sealed'>), hasGuard: false } },
      { requireGuard: true },
      { done: all, heldFor: 'no-guard', exitCode: 3 },
    ],
    [
      'other dependencies: held, ungraded',
      { opened: { dependencies: changed(true) } },
      {},
      { done: ['seal', 'open'], heldFor: 'dependencies', exitCode: 3 },
    ],
    [
      'dependencies that the image has, where the policy allows them: graded',
      { opened: { dependencies: changed(true) } },
      { dependencyChanges: 'allow-installed' },
      { done: all, verdict: 'verified', exitCode: 0 },
    ],
    [
      'in a race of all it completes as well',
      {},
      { race: 'all' },
      { done: all, verdict: 'verified', exitCode: 0 },
    ],
  ])('%s', async (_name, world, policy, expected) => {
    expect(await decided(world, policy)).toMatchObject(expected)
  })
})

describe('an infrastructure that fails', () => {
  /** Every action fails so often before it succeeds. */
  async function failing(failures: Partial<Record<keyof ChangeActions, number>>, code: FaultCode) {
    const left = { seal: 0, open: 0, grade: 0, ...failures }
    const tried = { seal: 0, open: 0, grade: 0 }
    const act = <T>(what: keyof ChangeActions, event: T): Promise<T> => {
      tried[what] += 1
      left[what] -= 1
      return left[what] >= 0 ? Promise.reject(new Fault(code, 'made to fail')) : Promise.resolve(event)
    }
    const state = await decideChange(policySchema.parse({ infraRetries: 2 }), {
      seal: () => act('seal', sealed as EventOf<'sealed'>),
      open: () => act('open', opened(1) as EventOf<'opened'>),
      grade: () => act('grade', graded(1, 'verified') as EventOf<'graded'>),
    })
    return { tried, ...outcomeOf(state.end) }
  }
  it.each(['seal', 'open', 'grade'] as const)(
    'is asked again, and the change is decided: %s',
    async (what) => {
      expect(await failing({ [what]: 2 }, 'infra/box-lost')).toMatchObject({
        tried: { [what]: 3 },
        verdict: 'verified',
        exitCode: 0,
      })
    },
  )
  it.each(['seal', 'open', 'grade'] as const)('too often: held, exit 4, never refuted: %s', async (what) => {
    expect(await failing({ [what]: 9 }, 'infra/box-lost')).toMatchObject({
      tried: { [what]: 3 },
      verdict: 'unverifiable',
      heldFor: 'infrastructure',
      missing: expect.stringContaining('made to fail') as string,
      exitCode: 4,
    })
  })
  it('is not what a mistake of the user or a bug is: those end it', async () => {
    await expect(failing({ grade: 1 }, 'config/seal-stale')).rejects.toMatchObject({
      code: 'config/seal-stale',
    })
  })
})
