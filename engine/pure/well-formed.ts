/**
 * The value with every string (and key) in it made well-formed Unicode: half a surrogate pair becomes U+FFFD. Canonical
 * JSON refuses half pairs, and one can come from anywhere: a name that a worker chose, a message cut in the middle.
 */
export function wellFormed<T>(value: T): T {
  return mend(value) as T
}

/** At most `max` UTF-16 units of a text; a character that would be cut in two is left out. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const cut = text.slice(0, max)
  return isHighSurrogate(cut.charCodeAt(max - 1)) ? cut.slice(0, -1) : cut
}

function mend(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(mend)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.toWellFormed(), mend(one)]))
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
