/** So many comparisons take about a second; what needs more is not decided at all. */
const MOST_LOOKS = 500_000

/** Thrown where pairing would take too long. Neither "fits" nor "does not fit" follows from it. */
export class TooManyPairs extends Error {}

/**
 * Whether every item of `left` can be paired with an item of `right` of its own (Kuhn's augmenting paths): greedy
 * pairing would fail where a loose pattern takes the element that a strict one needs.
 * @throws TooManyPairs
 */
export function pairAll<L, R>(
  left: readonly L[],
  right: readonly R[],
  fits: (left: L, right: R) => boolean,
): boolean {
  return firstUnpaired(left, right, fits) === undefined
}

/**
 * The first index of `left` that cannot be paired, or undefined when all can.
 * @throws TooManyPairs
 */
export function firstUnpaired<L, R>(
  left: readonly L[],
  right: readonly R[],
  fits: (left: L, right: R) => boolean,
): number | undefined {
  // Mostly both have the same order; then nothing needs to be searched.
  if (left.length === right.length && left.every((item, index) => fits(item, right[index] as R)))
    return undefined
  const takenBy = new Array<number | undefined>(right.length).fill(undefined)
  const cache = new Map<number, boolean>()
  let looks = 0
  const fit = (l: number, r: number): boolean => {
    looks += 1
    if (looks > MOST_LOOKS) throw new TooManyPairs(`${left.length} and ${right.length} elements`)
    const key = l * right.length + r
    const known = cache.get(key) ?? fits(left[l] as L, right[r] as R)
    cache.set(key, known)
    return known
  }
  const place = (l: number, tried: Set<number>): boolean => {
    for (let r = 0; r < right.length; r += 1) {
      if (tried.has(r) || !fit(l, r)) continue
      tried.add(r)
      const holder = takenBy[r]
      if (holder === undefined || place(holder, tried)) {
        takenBy[r] = l
        return true
      }
    }
    return false
  }
  for (let l = 0; l < left.length; l += 1) if (!place(l, new Set())) return l
  return undefined
}
