/** Another literal of the same kind (a number, a quoted text), too far off to be the next one of something that counts. */
export function otherThan(value: string, random: () => number): string {
  const off = 7 + Math.floor(random() * 90)
  // Beyond that a sum may be the same number again.
  if (/^[-\d]/.test(value)) return Math.abs(Number(value)) < 1e12 ? String(Number(value) + off) : `${value}7`
  const quote = /^(?:'{3}(?=.{3})|"{3}(?=.{3})|.)/s.exec(value)?.[0] ?? ''
  const text = value.slice(quote.length, -quote.length)
  // In an escape it would be another text's beginning, or none.
  const at = text.includes('\\') ? 0 : Math.floor(random() * (text.length + 1))
  return `${quote}${text.slice(0, at)}${String(off)}${text.slice(at)}${quote}`
}

/** What plain data is made of: literals, names and the brackets around them, and nothing that computes. */
const DATA = /^[\w$\s.,:'"[\]{}()-]*$/
const COMPUTED =
  /[\w$\])'"]\s*[([]|[\w$\])'"]\s*-|\.\.|\b(?:and|as|await|else|for|if|in|is|lambda|new|not|or|satisfies|typeof)\b/
const NUMBER = String.raw`(?<![\w$.])-?(?:0|[1-9]\d*)(?:\.\d+)?(?![\w.])`
/** A key is none: with another one, too, but what it stands for would not be compared. */
const TEXT = String.raw`(?<![\w$])(?:'_*'|"_*")(?!\s*:)`
const WORD = String.raw`(?<![\w$.])(?:true|false|null|True|False|None)\b(?!\s*:)`

/**
 * Plain data with one of its literals changed, or undefined for what is no plain data or holds no literal. Whatever
 * equals the one does not equal the other, save what equals everything.
 * @param mask the same with its texts blotted out.
 */
export function otherData(source: string, mask: string, random: () => number): string | undefined {
  if (!DATA.test(mask) || COMPUTED.test(mask)) return undefined
  const literals = [...mask.matchAll(new RegExp(`${NUMBER}(?!\\s*:)|${TEXT}`, 'g'))]
  const words = [...mask.matchAll(new RegExp(WORD, 'g'))]
  const found = literals.length > 0 ? literals : words
  const one = found[Math.floor(random() * found.length)]
  if (one === undefined) return undefined
  const end = one.index + one[0].length
  const value = source.slice(one.index, end)
  const other = literals.length > 0 ? otherThan(value, random) : String(7 + Math.floor(random() * 90))
  return source.slice(0, one.index) + other + source.slice(end)
}
