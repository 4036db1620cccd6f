import type { Observed } from '../../specs/examiner.ts'

/**
 * JSON characters of what all rows show in one run each. A grade is kept as one document, and each row alone may write some
 * megabytes. It is counted for each run by itself: how many runs there are differs between base and output, and what fits
 * on one has to fit on the other.
 */
const MOST_CHARS = 16_000_000

/** Observations up to the cap; each one over it is the limit of output, as if its run alone had written too much. */
export function capTotal(
  observed: readonly { readonly run: number; readonly of: Observed }[],
  mostChars: number = MOST_CHARS,
): readonly Observed[] {
  const charsOf = new Map<number, number>()
  return observed.map(({ run, of }) => {
    const chars = (charsOf.get(run) ?? 0) + JSON.stringify(of.observation).length
    if (chars > mostChars) {
      return { ...of, observation: { outcome: 'limit', limit: 'output', steps: [] } }
    }
    charsOf.set(run, chars)
    return of
  })
}
