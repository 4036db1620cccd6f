const TAILS = ['again', 'twice', 'as before', 'as well', 'in a row', 'each time'] as const

/** One of a list that is not empty. */
export function pick<T>(list: readonly [T, ...T[]], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? list[0]
}

/** A name made of halves of its neighbours' names, which none of them has; without any, undefined. */
export function canaryName(names: readonly string[], random: () => number): string | undefined {
  const [first, ...rest] = names.filter((name) => /^[^'"`\\$]+$/.test(name))
  if (first === undefined) return undefined
  const usable = [first, ...rest] as const
  for (let tries = 0; tries < names.length; tries += 1) {
    const name = joined(pick(usable, random), pick(usable, random))
    if (!names.includes(name)) return name
  }
  return `${pick(usable, random)} ${pick(TAILS, random)}`
}

function joined(one: string, other: string): string {
  const head = one.split(' ')
  const tail = other.split(' ')
  return [...head.slice(0, Math.ceil(head.length / 2)), ...tail.slice(Math.ceil(tail.length / 2))].join(' ')
}
