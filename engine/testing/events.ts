import type { EventBody } from '../../specs/journal.ts'
import { policySchema, type Policy } from '../../specs/policy.ts'
import { taskSchema } from '../../specs/task.ts'

/** Events for tests of the run: made by hand, with digests of nothing. */
export const DIGEST = `sha256:${'a'.repeat(64)}`
export const TREE = 'b'.repeat(40)
export const MERGED_TREE = 'c'.repeat(40)
export const TIP = 'd'.repeat(40)
export const COMMIT = 'e'.repeat(40)

/** The beginning of a run; the first attempt hears feedback. */
export function started(
  policy: Partial<Policy> = {},
  attempts = 2,
  lands = false,
): Extract<EventBody, { type: 'run-started' }> {
  const image = { name: 'node', id: DIGEST, recipe: DIGEST }
  return {
    type: 'run-started',
    run: 'r1',
    task: taskSchema.parse({
      version: 1,
      id: 't',
      base: { from: 'directory', path: 'base' },
      image: 'node',
      oracle: { kind: 'files', directory: 'checks' },
    }),
    taskDigest: DIGEST,
    request: DIGEST,
    base: TREE,
    resolved: {},
    images: { product: image, judge: image },
    policy: policySchema.parse(policy),
    runner: DIGEST,
    attempts: Array.from({ length: attempts }, (_, index) => ({
      attempt: index + 1,
      label: `a${index + 1}`,
      hearsFeedback: index === 0,
    })),
    ...(lands ? { landing } : {}),
  }
}

const somebody = { name: 'A', email: 'a@example.org' }
const landing = { repository: '/r', branch: 'main', author: somebody, committer: somebody }

export const sealed: EventBody = {
  type: 'sealed',
  seal: DIGEST,
  claims: 1,
  rows: 3,
  hasGuard: true,
  flags: [],
}

export function delivered(attempt: number, round = 1): EventBody {
  return { type: 'delivered', attempt, round, end: { kind: 'exited', code: 0 }, parcel: DIGEST }
}

export function opened(attempt: number, round = 1): EventBody {
  return {
    type: 'opened',
    attempt,
    round,
    tree: TREE,
    gate: { kind: 'passed' },
    dependencies: { kind: 'none' },
    changed: 1,
    ignored: [],
  }
}

export function graded(
  attempt: number,
  verdict: 'verified' | 'refuted' | 'unverifiable',
  round = 1,
): EventBody {
  return { type: 'graded', attempt, round, ...facts(verdict) }
}

export function compared(attempts: readonly number[], differences: number, scenarios = 40): EventBody {
  const first = differences === 0 ? {} : { first: 'input 1: attempt 1 gave 2, attempt 2 gave 3' }
  return {
    type: 'compared',
    attempts: [...attempts],
    comparison: DIGEST,
    trees: attempts.length,
    scenarios,
    differences,
    ...first,
  }
}

type Merged = Extract<EventBody, { type: 'merged' }>

/** By default of a branch that still is base: the output is what lands. */
export function merged(attempt: number, more: Partial<Merged> = {}): Merged {
  return {
    type: 'merged',
    attempt,
    tip: TIP,
    tree: TREE,
    graded: TREE,
    gate: { kind: 'passed' },
    dependencies: { kind: 'none' },
    changed: 1,
    ...more,
  }
}

export function regraded(
  attempt: number,
  tree: string,
  verdict: 'verified' | 'refuted' | 'unverifiable',
): EventBody {
  return { type: 'regraded', attempt, tree, ...facts(verdict) }
}

function facts(verdict: 'verified' | 'refuted' | 'unverifiable') {
  const failed = verdict === 'refuted' ? 1 : 0
  return { grade: DIGEST, verdict, findings: 0, failed, of: 3, strength: 'isolated', cached: false } as const
}
