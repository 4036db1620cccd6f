/** A line of a Python file that stands on the top level, outside strings, brackets and continued lines. */
export interface TopLine {
  /** Where it begins. */
  readonly at: number
  readonly text: string
}

/** Top-level lines of a Python source, found without a parser: strings, brackets and comments are skipped over. */
export function topLines(source: string): readonly TopLine[] {
  const lines: TopLine[] = []
  let depth = 0
  let isLineStart = true
  for (let at = 0; at < source.length;) {
    if (isLineStart && depth === 0 && /[^\s#]/.test(source[at] ?? '')) {
      lines.push({ at, text: source.slice(at, endOfLine(source, at)) })
    }
    isLineStart = false
    const quote = /^(?:'''|"""|'|")/.exec(source.slice(at, at + 3))?.[0]
    if (quote !== undefined) {
      at = endOfString(source, at + quote.length, quote)
      continue
    }
    const character = source[at] ?? ''
    if (character === '#') {
      at = endOfLine(source, at)
      continue
    }
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth = Math.max(0, depth - 1)
    if (character === '\n') isLineStart = true
    at += character === '\\' ? 2 : 1
  }
  return lines
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end === -1 ? source.length : end
}

function endOfString(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length;) {
    if (source.startsWith(quote, at)) return at + quote.length
    if (quote.length === 1 && source[at] === '\n') return at
    at += source[at] === '\\' ? 2 : 1
  }
  return source.length
}
