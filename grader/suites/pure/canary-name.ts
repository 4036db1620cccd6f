const TAILS = ['again', 'twice', 'as before', 'as well', 'in a row', 'each time'] as const

/** One of a list that is not empty. */
export function pick<T>(list: readonly [T, ...T[]], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? list[0]
}

/**
 * A name made of halves of its neighbours' names; without any, undefined.
 * @param isTaken of names that it must not be.
 */
export function canaryName(
  names: readonly string[],
  isTaken: (name: string) => boolean,
  random: () => number,
): string | undefined {
  const [first, ...rest] = names.filter((name) => /^[^'"`\\$%]+$/.test(name))
  if (first === undefined) return undefined
  const usable = [first, ...rest] as const
  for (let tries = 0; tries < names.length; tries += 1) {
    const name = joined(pick(usable, random), pick(usable, random))
    if (!isTaken(name)) return name
  }
  let name: string = pick(usable, random)
  do name = `${name} ${pick(TAILS, random)}`
  while (isTaken(name))
  return name
}

function joined(one: string, other: string): string {
  const head = one.split(' ')
  const tail = other.split(' ')
  return [...head.slice(0, Math.ceil(head.length / 2)), ...tail.slice(Math.ceil(tail.length / 2))].join(' ')
}
