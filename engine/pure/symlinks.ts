/** Where a link of a tree leads, if it is followed the way a kernel follows it. */
export type LinkEnd = { readonly steps: number } & (
  | { readonly kind: 'inside'; readonly path: string }
  | { readonly kind: 'leaves'; readonly reason: string }
  /** More hops than a kernel takes: nobody can follow it, so it leads nowhere. */
  | { readonly kind: 'loop' }
  /** More steps than the caller allows. */
  | { readonly kind: 'exhausted' }
)

/** Linux gives up (ELOOP) after this many links. */
const MAX_HOPS = 40

/**
 * Follows a link through the other links of its tree. A folder that is not there is taken by its name: it may come
 * to be.
 * @param path of the link itself.
 * @param targets of all links of the tree, by path.
 * @param maxSteps segments that may be looked at.
 */
export function followLink(path: string, targets: ReadonlyMap<string, string>, maxSteps: number): LinkEnd {
  const place = path.split('/')
  // What is left to walk, last first. The link itself is the first step.
  const todo = [place.pop() ?? '']
  let hops = 0
  let steps = 0
  while (todo.length > 0) {
    steps += 1
    if (steps > maxSteps) return { kind: 'exhausted', steps }
    const segment = todo.pop() ?? ''
    if (segment === '' || segment === '.') continue
    if (segment === '..') {
      if (place.length === 0) return { kind: 'leaves', reason: 'it leads above the tree', steps }
      place.pop()
      continue
    }
    place.push(segment)
    const target = targets.get(place.join('/'))
    if (target === undefined) continue
    hops += 1
    if (hops > MAX_HOPS) return { kind: 'loop', steps }
    if (target.startsWith('/')) return { kind: 'leaves', reason: 'it leads to an absolute path', steps }
    place.pop()
    todo.push(...target.split('/').reverse())
  }
  return { kind: 'inside', path: place.join('/'), steps }
}
