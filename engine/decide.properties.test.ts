import { describe, expect, it } from 'vitest'
import type { Decision } from '../specs/decision.ts'
import type { EventBody } from '../specs/journal.ts'
import { DEFAULT_LANDING_ANSWERS, DEFAULT_LANDING_TRIES, policySchema, type Policy } from '../specs/policy.ts'
import { decide } from './decide.ts'
import { evolve, type RunState } from './state.ts'
import { explore, type Setting } from './testing/every-run.ts'

const policy = (more: Partial<Policy> = {}): Policy =>
  policySchema.parse({ rounds: 2, infraRetries: 1, ...more })

const settings: readonly (readonly [string, Setting])[] = [
  ['two attempts, the first verified wins', { policy: policy(), attempts: 2, lands: false, grades: 'all' }],
  ['two go to their end', { policy: policy({ race: 'all' }), attempts: 2, lands: false, grades: 'all' }],
  [
    'landing checks answer once',
    { policy: policy({ landingAnswers: 1, race: 'all' }), attempts: 2, lands: false, grades: 'all' },
  ],
  [
    'feedback is dear',
    { policy: policy({ infraRetries: 0, feedbackBits: 1 }), attempts: 2, lands: false, grades: 'all' },
  ],
  ['one attempt lands', { policy: policy({ landingTries: 2 }), attempts: 1, lands: true, grades: 'all' }],
  [
    'one attempt lands, and a person answers',
    {
      policy: policy({ landingTries: 2, infraRetries: 0 }),
      attempts: 1,
      lands: true,
      grades: 'few',
      isAnswered: true,
    },
  ],
  [
    'the best of two lands',
    {
      policy: policy({ race: 'best', infraRetries: 0, landingTries: 1 }),
      attempts: 2,
      lands: true,
      grades: 'few',
    },
  ],
  [
    'the first of three',
    { policy: policy({ infraRetries: 0 }), attempts: 3, lands: false, grades: 'claims' },
  ],
  [
    'the best of three',
    { policy: policy({ race: 'best', infraRetries: 0 }), attempts: 3, lands: false, grades: 'claims' },
  ],
  [
    'the best of two, and a person answers',
    {
      policy: policy({ race: 'best', infraRetries: 0, rounds: 1 }),
      attempts: 2,
      lands: false,
      grades: 'few',
      isAnswered: true,
    },
  ],
]

describe('every small run', () => {
  it.each(settings)('%s: ends, and nothing completes or lands unless it is verified', (name, setting) => {
    const { policy } = setting
    const { states, next } = explore(setting, {
      decision: (decision, state) => checkDecision(decision, state, setting),
      event: checkEvent,
    })
    console.log(`decide: ${states.size} states visited (${name})`)
    for (const [id, state] of states) {
      // No dead end: a state from which nothing can come is the end of a run.
      if ((next.get(id) ?? []).length === 0 && state.end === undefined) throw new Error(`a dead end: ${id}`)
      if (state.landingAnswers > (policy.landingAnswers ?? DEFAULT_LANDING_ANSWERS))
        throw new Error('more answers of landing checks than the policy allows')
      if (state.bitsSpent > policy.feedbackBits) throw new Error('more bits than the policy allows')
      if ((state.landing?.moves ?? 0) > (policy.landingTries ?? DEFAULT_LANDING_TRIES))
        throw new Error('more landings begun than the policy allows')
    }
    // Every run ends: the graph of states has no cycle.
    expect(hasCycle(next)).toBe(false)
  })
})

/** Events that could come too late, from what was under way when the run ended. */
const LATE: readonly EventBody[] = [
  { type: 'stopped', attempt: 1 },
  { type: 'landing-failed', attempt: 1, fault: { code: 'infra/x', message: 'x' } },
  { type: 'resumed', reason: 'r' },
  { type: 'resolved', how: 'accept', cause: 'strength', attempt: 1, reason: 'r', by: 'b' },
  { type: 'decided', decision: { do: 'complete', attempt: 1 } },
]

function checkEvent(before: RunState, event: EventBody): void {
  if (before.end !== undefined && before.end.outcome !== 'held' && evolve(before, event) !== before)
    throw new Error(`${event.type} changed a finished run`)
}

function checkDecision(decision: Decision, state: RunState, { policy }: Setting): void {
  const again = decide(structuredClone(state))
  if (JSON.stringify(again) !== JSON.stringify(decision)) throw new Error('equal states, other decisions')
  const after = evolve(state, { type: 'decided', decision })
  if (after.end !== undefined && after.end.outcome !== 'held') {
    for (const event of LATE)
      if (evolve(after, event) !== after) throw new Error(`${event.type} changed a finished run`)
  }
  switch (decision.do) {
    case 'complete':
    case 'merge':
    case 'commit':
    case 'land':
      requireVerified(state, decision.attempt, decision.do)
      requireAgreement(state, policy)
      if (decision.do === 'land' || decision.do === 'commit') requireGradedTree(state, decision.attempt)
      break
    case 'open':
    case 'grade':
    case 'regrade':
      if (state.seal.is !== 'sealed') throw new Error(`${decision.do} before the seal`)
      break
    case 'feedback': {
      expect(Object.keys(decision).sort()).toEqual(['attempt', 'bits', 'do', 'failed', 'of', 'round'])
      const { phase } = attemptOf(state, decision.attempt)
      if (phase.is !== 'graded' || phase.grade.verdict !== 'refuted' || phase.grade.findings > 0)
        throw new Error('feedback on something else than a clean refutation')
      break
    }
    case 'hold':
      if (decision.missing === '') throw new Error('a hold that says not what is missing')
      break
    default:
  }
}

function attemptOf(state: RunState, attempt: number): RunState['attempts'][number] {
  const found = state.attempts.find((one) => one.attempt === attempt)
  if (found === undefined) throw new Error(`there is no attempt ${attempt}`)
  return found
}

/** Verified with nothing against it, or a person accepted just that which is against it. */
function requireVerified(state: RunState, attempt: number, what: string): void {
  const { phase, accepted } = attemptOf(state, attempt)
  if (phase.is !== 'graded') throw new Error(`${what} of what was not graded`)
  const { verdict, findings, strength, configuration } = phase.grade
  const against = [
    verdict === 'refuted' ? 'refuted' : undefined,
    verdict === 'unverifiable' ? 'unverifiable' : undefined,
    findings > 0 ? 'tampered' : undefined,
    strength === 'in_process' ? 'strength' : undefined,
    configuration === undefined ? undefined : 'runner-configuration',
  ].filter((cause) => cause !== undefined)
  const open = against.filter((cause) => !accepted.some((one) => one === cause))
  if (open.length > 0) throw new Error(`${what} in spite of ${open.join(', ')}`)
}

/** In a race `best` verified outputs were seen to behave the same, or a person chose. */
function requireAgreement(state: RunState, policy: Policy): void {
  const verified = state.attempts.filter(
    ({ phase }) => phase.is === 'graded' && phase.grade.verdict === 'verified' && phase.grade.findings === 0,
  )
  if (policy.race === 'best' && verified.length > 1 && state.comparison.is !== 'agreed')
    throw new Error('the best of several that were not compared')
}

/** What lands is the output, or a merged tree that was graded and found verified. */
function requireGradedTree({ landing, attempts }: RunState, attempt: number): void {
  if (landing === undefined || !('merged' in landing)) throw new Error('something lands that was not merged')
  const isOutput = landing.merged.graded === attempts.find((one) => one.attempt === attempt)?.tree
  if (landing.is === 'merged' && !isOutput) throw new Error('a merged tree lands that was not graded')
  if (landing.is === 'regraded' && landing.grade?.verdict === 'refuted')
    throw new Error('a refuted tree lands')
}

function hasCycle(next: ReadonlyMap<string, readonly string[]>): boolean {
  const done = new Set<string>()
  const onPath = new Set<string>()
  const stack: { id: string; at: number }[] = []
  for (const root of next.keys()) {
    if (done.has(root)) continue
    stack.push({ id: root, at: 0 })
    onPath.add(root)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const follower = next.get(top.id)?.[top.at++]
      if (follower === undefined) {
        onPath.delete(top.id)
        done.add(top.id)
        stack.pop()
      } else if (onPath.has(follower)) {
        return true
      } else if (!done.has(follower)) {
        onPath.add(follower)
        stack.push({ id: follower, at: 0 })
      }
    }
  }
  return false
}
