/** A document with one small change, and what it is. */
export interface Mutant {
  readonly value: unknown
  readonly what: string
}

/** Values of other types, and some that are just beyond a bound. */
const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e9,
  '',
  'x',
  '../x',
  '/x',
  '9'.repeat(2001),
  [],
  {},
]

/** Every document that differs in one place: a key dropped, an unknown key added, a value of another kind. */
export function mutantsOf(document: unknown): readonly Mutant[] {
  return mutate(document, '')
}

function mutate(node: unknown, at: string): readonly Mutant[] {
  const replaced = REPLACEMENTS.map((value) => ({
    value,
    what: `${at || '/'} = ${JSON.stringify(value).slice(0, 20)}`,
  }))
  if (Array.isArray(node)) {
    const inner = node.flatMap((element, index) =>
      mutate(element, `${at}/${index}`).map(({ value, what }) => ({ value: node.with(index, value), what })),
    )
    return [...replaced, { value: [...(node as unknown[]), 'x'], what: `${at}/- added` }, ...inner]
  }
  if (typeof node !== 'object' || node === null) return replaced
  const entries = Object.entries(node as Readonly<Record<string, unknown>>)
  const inner = entries.flatMap(([key, element]) =>
    mutate(element, `${at}/${key}`).map(({ value, what }) => ({ value: { ...node, [key]: value }, what })),
  )
  const dropped = entries.map(([key]) => ({
    value: Object.fromEntries(entries.filter(([other]) => other !== key)),
    what: `${at}/${key} dropped`,
  }))
  return [
    ...replaced,
    ...dropped,
    { value: { ...node, colour: 'red' }, what: `${at}/colour added` },
    ...inner,
  ]
}
