import type { Observed } from '../../specs/examiner.ts'

/**
 * JSON characters of all observations of one tree together. A grade is kept as one document, and each run alone may
 * write some megabytes.
 */
const MOST_CHARS = 64_000_000

/** Observations up to the cap; each one over it is the limit of output, as if its run alone had written too much. */
export function capTotal(observed: readonly Observed[], mostChars: number = MOST_CHARS): readonly Observed[] {
  let chars = 0
  return observed.map((one) => {
    const size = JSON.stringify(one.observation).length
    if (chars + size > mostChars) {
      return { ...one, observation: { outcome: 'limit', limit: 'output', steps: [] } }
    }
    chars += size
    return one
  })
}
