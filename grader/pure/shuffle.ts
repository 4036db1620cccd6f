/** Numbers in [0, 1) from a seed (mulberry32): the same everywhere, so that an order can be had again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A new list in an order that the seed decides (Fisher-Yates). */
export function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const random = seededRandom(seed)
  const order = [...items]
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1))
    const [a, b] = [order[i] as T, order[j] as T]
    order[i] = b
    order[j] = a
  }
  return order
}
