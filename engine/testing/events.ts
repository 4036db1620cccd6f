import type { EventBody } from '../../specs/journal.ts'
import { policySchema, type Policy } from '../../specs/policy.ts'
import { taskSchema } from '../../specs/task.ts'

/** Events for tests of the run: made by hand, with digests of nothing. */
export const DIGEST = `sha256:${'a'.repeat(64)}`
export const TREE = 'b'.repeat(40)

/** The beginning of a run; the first attempt hears feedback. */
export function started(
  policy: Partial<Policy> = {},
  attempts = 2,
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
  }
}

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
  const failed = verdict === 'refuted' ? 1 : 0
  return {
    type: 'graded',
    attempt,
    round,
    grade: DIGEST,
    verdict,
    findings: 0,
    failed,
    of: 3,
    strength: 'isolated',
    cached: false,
  }
}
