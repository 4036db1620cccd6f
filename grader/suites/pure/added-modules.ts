/** Where pytest's tests look for modules in a tree, besides their own folders. */
const ROOTS = ['', 'src/'] as const

/**
 * Names that a tree's Python modules and packages have at the top level, that base has none of. Such a name could stand
 * before a library's.
 * @param output, base paths of the trees. @param sealed paths that are laid over both.
 */
export function addedModules(
  output: Iterable<string>,
  base: Iterable<string>,
  sealed: Iterable<string>,
): readonly string[] {
  const known = new Set([...base, ...sealed].flatMap(namesOf))
  return [...new Set([...output].flatMap(namesOf))].filter((name) => !known.has(name)).sort()
}

/** What a file can be imported as, or be a part of. */
function namesOf(path: string): readonly string[] {
  if (!/\.(?:py|pyc|so)$/.test(path)) return []
  return ROOTS.flatMap((root) => {
    const name = path.startsWith(root) ? /^[^/.]+/.exec(path.slice(root.length))?.[0] : undefined
    return name === undefined || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? [] : [name]
  })
}
