/** What Python takes for one line, however many lines of the file it stands on. */
export interface PythonLine {
  /** Where it begins, with its indentation. */
  readonly start: number
  /** Where it ends: without space or a comment at its end. */
  readonly end: number
  /** Columns that it is indented by. */
  readonly indent: number
  /** As long as the source from `start` to `end`: what stands in strings and comments is blotted out. */
  readonly mask: string
}

/** The lines of a Python source that say something, found without a parser. */
export function pythonLines(source: string): readonly PythonLine[] {
  const mask = maskPython(source)
  const lines: PythonLine[] = []
  for (let start = 0; start < mask.length;) {
    const end = endOfLine(mask, start)
    const text = mask.slice(start, end)
    const said = text.trimEnd()
    if (said !== '') {
      lines.push({
        start,
        end: start + said.length,
        indent: said.length - said.trimStart().length,
        mask: said,
      })
    }
    start = end + 1
  }
  return lines
}

/**
 * A source with its strings filled with `_`, its comments with spaces, and line ends in strings and brackets and after a
 * backslash away: each that is left ends a line.
 */
function maskPython(source: string): string {
  const parts: string[] = []
  let depth = 0
  for (let at = 0; at < source.length;) {
    const quote = /^(?:'''|"""|'|")/.exec(source.slice(at, at + 3))?.[0]
    if (quote !== undefined) {
      const end = endOfString(source, at + quote.length, quote)
      const bound = quote.charAt(0)
      parts.push(bound, '_'.repeat(Math.max(0, end - at - 2)), end - at > 1 ? bound : '')
      at = end
      continue
    }
    const character = source.charAt(at)
    const length =
      character === '#' ? endOfLine(source, at) - at : character === '\\' ? joined(source, at) : 1
    if ('([{'.includes(character)) depth += 1
    if (')]}'.includes(character)) depth = Math.max(0, depth - 1)
    const isBlank = length > 1 || character === '#' || (character === '\n' && depth > 0)
    parts.push(isBlank ? ' '.repeat(Math.min(length, source.length - at)) : character)
    at += length
  }
  return parts.join('')
}

/** How much a backslash takes away: itself, and the end of the line after it. */
function joined(source: string, at: number): number {
  return source.startsWith('\r\n', at + 1) ? 3 : 2
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
