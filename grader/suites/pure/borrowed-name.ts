const ENDINGS = ['again', 'twice', 'alone', 'first', 'last', 'inside', 'later', 'both', 'plain', 'nested']

/**
 * A name that reads like those around it: words of two of them, or one of them and an ending.
 * @param names what the file has, all of which the new one differs from.
 */
export function borrowedName(names: readonly string[], random: () => number, joint: string): string {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T
  const wordsOf = (name: string) => name.split(joint).filter((part) => part !== '')
  const one = wordsOf(pick(names))
  const other = wordsOf(pick(names))
  const half = one.slice(0, Math.max(1, Math.ceil(one.length / 2)))
  const joined = [...half, ...other.slice(Math.floor(other.length / 2))].join(joint)
  const taken = new Set(names)
  if (!taken.has(joined)) return joined
  for (;;) {
    const next = [...one, pick(ENDINGS), ...(random() < 0.5 ? [] : [pick(ENDINGS)])].join(joint)
    if (!taken.has(next)) return next
  }
}
