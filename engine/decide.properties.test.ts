import { describe, expect, it } from 'vitest'
import type { Decision } from '../specs/decision.ts'
import type { EventBody } from '../specs/journal.ts'
import { DEFAULT_LANDING_ANSWERS, policySchema, type Policy } from '../specs/policy.ts'
import { decide } from './decide.ts'
import { evolve, initialState, type AttemptState, type RunState } from './state.ts'

/**
 * Exhaustive enumeration of small runs: from every reachable state, every outcome that the world could report next.
 * Two attempts (the first hears feedback), two rounds, one retry.
 */
const digest = `sha256:${'a'.repeat(64)}`
const tree = 'b'.repeat(40)
const fault = { code: 'infra/x', message: 'x' }

function start(policy: Policy): RunState {
  return {
    ...initialState,
    policy,
    attempts: [1, 2].map((attempt): AttemptState => ({
      attempt,
      hearsFeedback: attempt === 1,
      round: 1,
      phase: { is: 'idle' },
      failures: 0,
    })),
  }
}

type Graded = Extract<EventBody, { type: 'graded' }>
const grades: readonly Omit<Graded, 'type' | 'attempt' | 'round' | 'grade' | 'cached'>[] = [
  { verdict: 'verified', findings: 0, failed: 0, of: 3, strength: 'isolated' },
  { verdict: 'verified', findings: 1, failed: 0, of: 3, strength: 'isolated' },
  { verdict: 'refuted', findings: 0, failed: 2, of: 3, strength: 'isolated' },
  { verdict: 'unverifiable', findings: 0, failed: 0, of: 3, strength: 'isolated' },
  { verdict: 'refuted', findings: 0, failed: 0, of: 3, strength: 'isolated' },
  {
    verdict: 'verified',
    findings: 0,
    failed: 0,
    of: 3,
    strength: 'isolated',
    configuration: ['conftest.py'],
  },
]

/** All that can come next for what is under way. */
function outcomes(state: RunState): EventBody[] {
  const events: EventBody[] = []
  if (state.seal.is === 'sealing') {
    events.push(
      { type: 'sealed', seal: digest, claims: 1, rows: 1, hasGuard: true, flags: [] },
      { type: 'sealed', seal: digest, claims: 1, rows: 2, hasGuard: true, landing: 1, flags: [] },
      { type: 'not-sealed', reasons: ['r'], gap: 'spec' },
      { type: 'seal-failed', fault },
    )
  }
  for (const { attempt, round, phase } of state.attempts) {
    const at = { attempt, round }
    switch (phase.is) {
      case 'working':
        events.push(
          { type: 'delivered', ...at, end: { kind: 'timeout' }, parcel: digest },
          { type: 'work-failed', ...at, fault },
        )
        break
      case 'opening': {
        const opened = {
          type: 'opened' as const,
          ...at,
          tree,
          changed: 1,
          ignored: [],
          dependencies: { kind: 'none' as const },
        }
        events.push(
          { ...opened, gate: { kind: 'passed' } },
          { ...opened, gate: { kind: 'refused', refusals: [] } },
          {
            ...opened,
            gate: { kind: 'passed' },
            dependencies: { kind: 'changed', paths: [], satisfied: false, missing: [] },
          },
          { type: 'open-failed', ...at, fault },
        )
        break
      }
      case 'grading':
        events.push(
          ...grades.map((grade): EventBody => ({
            type: 'graded',
            ...at,
            ...grade,
            grade: digest,
            cached: false,
          })),
        )
        events.push({ type: 'grade-failed', ...at, fault })
        events.push({ type: 'grade-failed', ...at, fault: { code: 'oracle/judge', message: 'x' } })
        break
      case 'hearing':
        events.push({ type: 'feedback-given', ...at, failed: phase.grade.failed, of: phase.grade.of })
        break
      case 'stopping':
        events.push({ type: 'stopped', attempt })
        break
      default:
    }
  }
  return events
}

/** Decides until it waits, checking what must hold of every decision. */
function settle(state: RunState, check: (decision: Decision, state: RunState) => void): RunState {
  let current = state
  for (let steps = 0; steps < 100; steps++) {
    const decision = decide(current)
    expect(decide(structuredClone(current))).toEqual(decision)
    if (decision.do === 'wait') return current
    check(decision, current)
    current = evolve(current, { type: 'decided', decision })
  }
  throw new Error('it never waits')
}

function checkDecision(decision: Decision, state: RunState): void {
  const attempt =
    'attempt' in decision ? state.attempts.find((one) => one.attempt === decision.attempt) : undefined
  const grade = attempt?.phase.is === 'graded' ? attempt.phase.grade : undefined
  switch (decision.do) {
    case 'complete':
      if (grade?.verdict !== 'verified' || grade.findings !== 0 || grade.configuration !== undefined)
        throw new Error('completed without a clean verified')
      break
    case 'open':
    case 'grade':
      if (state.seal.is !== 'sealed') throw new Error(`${decision.do} before the seal`)
      break
    case 'feedback':
      expect(Object.keys(decision).sort()).toEqual(['attempt', 'bits', 'do', 'failed', 'of', 'round'])
      if (grade?.verdict !== 'refuted') throw new Error('feedback on something else than a refuted grade')
      break
    case 'hold':
      expect(decision.missing).not.toBe('')
      break
    default:
  }
}

function explore(policy: Policy) {
  const seen = new Map<string, RunState>()
  const next = new Map<string, string[]>()
  const queue = [settle(start(policy), checkDecision)]
  const key = (state: RunState) => JSON.stringify({ ...state, policy: undefined })
  for (let state = queue.pop(); state !== undefined; state = queue.pop()) {
    const id = key(state)
    if (seen.has(id)) continue
    seen.set(id, state)
    const successors = outcomes(state).map((event) => settle(evolve(state, event), checkDecision))
    next.set(id, successors.map(key))
    queue.push(...successors)
  }
  return { seen, next }
}

describe('every small run', () => {
  it.each([
    ['the first verified wins', policySchema.parse({ rounds: 2, infraRetries: 1 })],
    ['all go to their end', policySchema.parse({ rounds: 2, infraRetries: 1, race: 'all' })],
    [
      'landing checks answer once',
      policySchema.parse({ rounds: 2, infraRetries: 1, landingAnswers: 1, race: 'all' }),
    ],
    ['feedback is dear', policySchema.parse({ rounds: 2, infraRetries: 0, feedbackBits: 1 })],
  ])('%s: ends, and only a clean verified completes', (name, policy) => {
    const { seen, next } = explore(policy)
    console.log(`decide: ${seen.size} states visited (${name})`)
    for (const [id, state] of seen) {
      const followers = next.get(id) ?? []
      // No dead end: a state from which nothing can come is a finished run.
      if (followers.length === 0) expect(state.end, id).toBeDefined()
      if (state.end !== undefined) {
        for (const event of outcomes(state)) expect(evolve(state, event)).toBe(state)
      }
      if (state.landingAnswers > (policy.landingAnswers ?? DEFAULT_LANDING_ANSWERS)) {
        throw new Error('more answers of landing checks than the policy allows')
      }
      if (state.bitsSpent > policy.feedbackBits) throw new Error('more bits than the policy allows')
    }
    // Every run ends: the graph of states has no cycle.
    expect(hasCycle(next)).toBe(false)
  })
})

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
