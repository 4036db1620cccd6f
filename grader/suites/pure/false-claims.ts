/** Something that is false for every product, in the operands of an equality. */
export interface FalseClaim {
  readonly left: string
  readonly right: string
}

/** A false equality of plain numbers and lists, in the words that Python and JavaScript share. */
export function falseClaim(random: () => number): FalseClaim {
  const number = (below: number) => 1 + Math.floor(random() * below)
  const [a, b, c] = [number(90), number(90), number(9)]
  const forms: readonly FalseClaim[] = [
    { left: `${a} + ${b}`, right: `${a + b + c}` },
    { left: `${a} * ${c}`, right: `${a * c - b}` },
    { left: `"${word(random)}" + "${word(random)}"`, right: `"${word(random)}"` },
    { left: `[${a}, ${b}][1]`, right: `${b + c}` },
  ]
  return forms[Math.floor(random() * forms.length)] ?? { left: '1', right: '2' }
}

const SYLLABLES = ['ba', 'de', 'ki', 'lo', 'mu', 'na', 'pe', 'ri', 'so', 'ta', 've', 'xi']

function word(random: () => number): string {
  const count = 2 + Math.floor(random() * 2)
  return Array.from({ length: count }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join('')
}
