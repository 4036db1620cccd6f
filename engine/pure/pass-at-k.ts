import { seededRandom } from '../../grader/pure/shuffle.ts'

/** Attempts of one task that came to an end of their own, and how many of them were verified. */
export interface TaskAttempts {
  readonly n: number
  readonly c: number
}

export interface PassAtK {
  readonly k: number
  /** From 0 to 1. */
  readonly estimate: number
  /** 95 %, percentile bootstrap over tasks; absent of a single task, which says nothing of others. */
  readonly interval?: readonly [number, number]
}

const RESAMPLES = 2000
const LOW = 0.025

/**
 * The chance that at least one of k attempts at a task is right: `1 - C(n-c, k) / C(n, k)`, the unbiased estimator of Chen
 * et al., "Evaluating Large Language Models Trained on Code" (2021), as a product, so that nothing overflows.
 * @param k at most n.
 */
export function passAtK({ n, c }: TaskAttempts, k: number): number {
  if (n - c < k) return 1
  let none = 1
  for (let i = n - c + 1; i <= n; i++) none *= 1 - k / i
  return 1 - none
}

/**
 * pass@k over tasks, for every k that all of them have the attempts for.
 * @param tasks each with one attempt or more.
 */
export function passAtKs(tasks: readonly TaskAttempts[]): readonly PassAtK[] {
  if (tasks.length === 0) return []
  const most = Math.min(...tasks.map(({ n }) => n))
  return Array.from({ length: Math.max(0, most) }, (_, index) => {
    const k = index + 1
    const each = tasks.map((task) => passAtK(task, k))
    const interval = each.length < 2 ? {} : { interval: bootstrap(each, k) }
    return { k, estimate: mean(each), ...interval }
  })
}

/** With a seed of its own, so that a summary that is made again says the same. */
function bootstrap(values: readonly number[], seed: number): readonly [number, number] {
  const random = seededRandom(seed)
  const means = Array.from({ length: RESAMPLES }, () =>
    mean(values.map(() => values[Math.floor(random() * values.length)] ?? 0)),
  ).sort((one, other) => one - other)
  const at = (share: number) => means[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))] ?? 0
  return [at(LOW), at(1 - LOW)]
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
