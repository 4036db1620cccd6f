/**
 * Looking around in masked source: text as long as the source, in which what stands in strings and comments is blotted
 * out, so that every bracket in it is one.
 */

/** From where to where, the end exclusive. */
export interface Range {
  readonly start: number
  readonly end: number
}

const OPENING = '([{'
const CLOSING = ')]}'

/** Where the bracket that opens at `open` closes. */
export function closingOf(mask: string, open: number): number | undefined {
  let depth = 0
  for (let at = open; at < mask.length; at += 1) {
    const character = mask.charAt(at)
    if (OPENING.includes(character)) depth += 1
    else if (CLOSING.includes(character) && (depth -= 1) === 0) return at
  }
  return undefined
}

/** For each of several places, in ascending order, the brackets that are open there, from the outermost on. */
export function openAtEach(mask: string, places: readonly number[]): readonly (readonly number[])[] {
  const open: number[] = []
  let at = 0
  return places.map((place) => {
    for (; at < place; at += 1) {
      const character = mask.charAt(at)
      if (OPENING.includes(character)) open.push(at)
      else if (CLOSING.includes(character)) open.pop()
    }
    return [...open]
  })
}

/** The parts of a list, without the space around them: what stands between commas that are in no bracket. */
export function listedIn(mask: string, { start, end }: Range): readonly Range[] {
  const parts: Range[] = []
  let from = start
  for (let at = start; at <= end; at += 1) {
    if (at < end && OPENING.includes(mask.charAt(at))) at = closingOf(mask, at) ?? end
    if (at < end && mask[at] !== ',') continue
    const part = trimmed(mask, { start: from, end: Math.min(at, end) })
    if (part.start < part.end) parts.push(part)
    from = at + 1
  }
  return parts
}

/** A range without the space at its ends. */
export function trimmed(mask: string, { start, end }: Range): Range {
  const text = mask.slice(start, end)
  const first = start + (text.length - text.trimStart().length)
  return { start: first, end: Math.max(first, end - (text.length - text.trimEnd().length)) }
}

/** As long as the text, with what stands inside brackets blotted out as well. */
export function shallow(text: string): string {
  let depth = 0
  return Array.from({ length: text.length }, (_, at) => {
    const character = text.charAt(at)
    if (CLOSING.includes(character)) depth -= 1
    const shown = depth > 0 ? '_' : character
    if (OPENING.includes(character)) depth += 1
    return shown
  }).join('')
}
