import type { Decision } from '../../specs/decision.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Policy } from '../../specs/policy.ts'
import { decide } from '../decide.ts'
import { evolve, initialState, type RunState } from '../state.ts'
import { attemptsAtStart } from '../state/attempts.ts'
import { NOT_LANDING } from '../state/landing.ts'
import { compared, DIGEST, merged, MERGED_TREE, TIP, COMMIT, TREE } from './events.ts'

/** Small runs, every one of them: from every state that can be reached, every outcome that the world could report next. */
export interface Setting {
  readonly policy: Policy
  /** The first one hears feedback. */
  readonly attempts: number
  readonly lands: boolean
  /** `all`: verdicts of two claims, findings, weaker evidence, a changed configuration; `claims`: the first two of these. */
  readonly grades: 'all' | 'claims' | 'few'
  /** Every hold is answered by a person, in each of the ways, once. */
  readonly isAnswered?: boolean
}

export interface Explored {
  readonly states: ReadonlyMap<string, RunState>
  readonly next: ReadonlyMap<string, readonly string[]>
}

const fault = { code: 'infra/x', message: 'x' }
type Facts = Omit<Extract<EventBody, { type: 'regraded' }>, 'type' | 'attempt' | 'tree'>
const facts = (more: Partial<Facts>): Facts => ({
  grade: DIGEST,
  verdict: 'verified',
  findings: 0,
  failed: 0,
  of: 2,
  strength: 'isolated',
  cached: false,
  ...more,
})
/** What two claims can come to: one, both or none refuted; one that cannot be settled. */
const OF_TWO_CLAIMS: readonly Facts[] = [
  facts({}),
  facts({ verdict: 'refuted', failed: 1 }),
  facts({ verdict: 'refuted', failed: 2 }),
  facts({ verdict: 'unverifiable' }),
]
const FEW: readonly Facts[] = [facts({}), facts({ verdict: 'refuted', failed: 1 }), facts({ findings: 1 })]
const ALL: readonly Facts[] = [
  ...OF_TWO_CLAIMS,
  facts({ findings: 1 }),
  facts({ verdict: 'refuted', failed: 0 }),
  facts({ strength: 'in_process' }),
  facts({ configuration: ['conftest.py'] }),
]

/** All that can come next for what is under way, and of what is held. */
function outcomes(state: RunState, { grades, isAnswered }: Setting): EventBody[] {
  if (state.end?.outcome === 'held' && isAnswered === true) return answers(state)
  if (state.end !== undefined) return []
  const all = { all: ALL, claims: [...OF_TWO_CLAIMS, facts({ findings: 1 })], few: FEW }[grades]
  return [
    ...sealOutcomes(state),
    ...state.attempts.flatMap((attempt) => attemptOutcomes(attempt, all)),
    ...comparisonOutcomes(state),
    ...landingOutcomes(state, all),
  ]
}

function answers({ end, attempts }: RunState): EventBody[] {
  if (end?.outcome !== 'held') return []
  const { cause } = end.decision
  const attempt = end.decision.attempt ?? attempts[0]?.attempt
  return (['accept', 'reject', 'retry'] as const).map((how) => ({
    type: 'resolved',
    how,
    cause,
    reason: 'r',
    by: 'b',
    ...(attempt === undefined ? {} : { attempt }),
  }))
}

function sealOutcomes({ seal }: RunState): EventBody[] {
  if (seal.is !== 'sealing') return []
  return [
    { type: 'sealed', seal: DIGEST, claims: 2, rows: 2, hasGuard: true, flags: [] },
    { type: 'sealed', seal: DIGEST, claims: 2, rows: 2, hasGuard: true, landing: 1, flags: [] },
    { type: 'not-sealed', reasons: ['r'], gap: 'spec' },
    { type: 'seal-failed', fault },
  ]
}

function attemptOutcomes(
  { attempt, round, phase }: RunState['attempts'][number],
  grades: readonly Facts[],
): EventBody[] {
  const at = { attempt, round }
  switch (phase.is) {
    case 'working':
      return [
        { type: 'delivered', ...at, end: { kind: 'timeout' }, parcel: DIGEST },
        { type: 'work-failed', ...at, fault },
        ...(grades === ALL
          ? [{ type: 'delivered', ...at, end: { kind: 'timeout' }, parcel: DIGEST, spent: true } as const]
          : []),
      ]
    case 'opening': {
      const opened = {
        type: 'opened' as const,
        ...at,
        tree: TREE,
        changed: 1,
        diffLines: attempt,
        ignored: [],
        dependencies: { kind: 'none' as const },
      }
      const changed = { kind: 'changed' as const, paths: [], satisfied: false, missing: [] }
      return [
        { ...opened, gate: { kind: 'passed' } },
        { ...opened, gate: { kind: 'refused', refusals: [] } },
        { ...opened, gate: { kind: 'passed' }, dependencies: changed },
        { type: 'open-failed', ...at, fault },
      ]
    }
    case 'grading':
      return [
        ...grades.map((grade): EventBody => ({ type: 'graded', ...at, ...grade })),
        { type: 'grade-failed', ...at, fault },
        { type: 'grade-failed', ...at, fault: { code: 'oracle/judge', message: 'x' } },
      ]
    case 'hearing':
      return [{ type: 'feedback-given', ...at, failed: phase.grade.failed, of: phase.grade.of }]
    case 'stopping':
      return [{ type: 'stopped', attempt }]
    default:
      return []
  }
}

function comparisonOutcomes({ comparison, attempts }: RunState): EventBody[] {
  if (comparison.is !== 'comparing') return []
  const clean = attempts.filter(
    ({ phase }) => phase.is === 'graded' && phase.grade.verdict === 'verified' && phase.grade.findings === 0,
  )
  const who = clean.map(({ attempt }) => attempt)
  const same = compared(who, 0)
  return [
    same,
    compared(who, 1),
    compared(who, 0, 0),
    { ...same, tampered: { attempt: who[0] ?? 1, finding: 'forged-frame in a' } } as EventBody,
    { type: 'compare-failed', fault },
  ]
}

function landingOutcomes({ landing, end }: RunState, grades: readonly Facts[]): EventBody[] {
  if (landing === undefined || end !== undefined) return []
  const attempt = 1
  const failed: EventBody = { type: 'landing-failed', attempt, fault }
  switch (landing.is) {
    case 'merging': {
      const other = { tree: MERGED_TREE, graded: MERGED_TREE }
      return [
        merged(attempt),
        merged(attempt, other),
        merged(attempt, { ...other, protected: ['.github/a.yml'] }),
        merged(attempt, { changed: 0 }),
        merged(attempt, { gate: { kind: 'refused', refusals: [] } }),
        { type: 'merge-conflict', attempt, tip: TIP, paths: ['a'] },
        failed,
      ]
    }
    case 'regrading':
      return [
        ...grades.map((grade): EventBody => ({ type: 'regraded', attempt, tree: MERGED_TREE, ...grade })),
        failed,
        { type: 'landing-failed', attempt, fault: { code: 'oracle/judge', message: 'x' } },
      ]
    case 'committing':
      return [{ type: 'committed', attempt, tree: landing.merged.tree, tip: TIP, commit: COMMIT }, failed]
    case 'landing':
      return [
        { type: 'landed', attempt, commit: COMMIT },
        { type: 'target-moved', attempt, tip: TIP },
        { type: 'land-refused', attempt, why: 'hook declined' },
        failed,
      ]
    default:
      return []
  }
}

/** Decides until it waits. @throws Error when it does not come to that. */
function settle(state: RunState, check: (decision: Decision, state: RunState) => void): RunState {
  let current = state
  for (let steps = 0; steps < 100; steps++) {
    const decision = decide(current)
    if (decision.do === 'wait') return current
    check(decision, current)
    current = evolve(current, { type: 'decided', decision })
  }
  throw new Error('it never waits')
}

function keyOf(state: RunState): string {
  return JSON.stringify({ ...state, policy: undefined })
}

/**
 * Walks through every run of a setting.
 * @param check what has to hold of every decision, and of every event that may come next.
 */
export function explore(
  setting: Setting,
  check: {
    readonly decision: (decision: Decision, state: RunState) => void
    readonly event: (before: RunState, event: EventBody, after: RunState) => void
  },
): Explored {
  const first: RunState = {
    ...initialState,
    policy: setting.policy,
    attempts: attemptsAtStart(
      Array.from({ length: setting.attempts }, (_, index) => ({
        attempt: index + 1,
        hearsFeedback: index === 0,
      })),
    ),
    ...(setting.lands ? { landing: NOT_LANDING } : {}),
  }
  const states = new Map<string, RunState>()
  const next = new Map<string, readonly string[]>()
  const begun = settle(first, check.decision)
  const queue: (readonly [string, RunState])[] = [[keyOf(begun), begun]]
  for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
    const [id, state] = one
    if (states.has(id)) continue
    states.set(id, state)
    const followers = outcomes(state, setting).map((event) => {
      const evolved = evolve(state, event)
      check.event(state, event, evolved)
      const after = settle(evolved, check.decision)
      return [keyOf(after), after] as const
    })
    // A person may ask for the same thing for ever: answers are no part of the graph that has to end.
    if (state.end === undefined)
      next.set(
        id,
        followers.map(([key]) => key),
      )
    else next.set(id, [])
    queue.push(...followers)
  }
  return { states, next }
}
