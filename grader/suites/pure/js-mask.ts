/** What a slash begins an expression after, rather than dividing: then it is a regular expression. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|await|do|else|void))\s*$/

/**
 * JavaScript or TypeScript, as long as the source: strings, templates and regular expressions filled with `_` between their
 * bounds, comments with spaces. Found without a parser: what is meant is any file that people or formatters wrote.
 */
export function maskJs(source: string): string {
  let mask = ''
  for (let at = 0; at < source.length;) {
    const end = endOfToken(source, at, mask)
    const length = end - at
    const character = source.charAt(at)
    if (length === 1) mask += character
    else if (/^\/[/*]/.test(source.slice(at, at + 2))) {
      mask += source.slice(at, end).replace(/[^\n]/g, ' ')
    } else mask += character + '_'.repeat(length - 2) + character
    at = end
  }
  return mask
}

/** Where what begins at a place ends, when it is a text, a comment or a regular expression; otherwise the next place. */
function endOfToken(source: string, at: number, mask: string): number {
  const two = source.slice(at, at + 2)
  if (two === '//') return orEnd(source, source.indexOf('\n', at), 0)
  if (two === '/*') return orEnd(source, source.indexOf('*/', at + 2), 2)
  switch (source[at]) {
    case "'":
    case '"':
      return endOfText(source, at)
    case '`':
      return endOfTemplate(source, at)
    case '/':
      // Far enough back for the words that can stand before one.
      return BEFORE_REGEX.test(mask.slice(-40)) ? endOfRegex(source, at) : at + 1
    default:
      return at + 1
  }
}

function orEnd(source: string, found: number, more: number): number {
  return found < 0 ? source.length : found + more
}

function endOfText(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += source[at] === '\\' ? 2 : 1) {
    if (source[at] === source[start]) return at + 1
    if (source[at] === '\n') return at
  }
  return source.length
}

function endOfTemplate(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += source[at] === '\\' ? 2 : 1) {
    if (source[at] === '`') return at + 1
    if (source.startsWith('${', at)) at = endOfSubstitution(source, at + 2)
  }
  return source.length
}

/** Where the brace stands that closes it. */
function endOfSubstitution(source: string, start: number): number {
  let mask = ''
  let depth = 0
  for (let at = start; at < source.length;) {
    if (source[at] === '}' && depth === 0) return at
    depth += source[at] === '{' ? 1 : source[at] === '}' ? -1 : 0
    const end = endOfToken(source, at, mask)
    mask += source.charAt(at)
    at = end
  }
  return source.length - 1
}

function endOfRegex(source: string, start: number): number {
  let isInClass = false
  for (let at = start + 1; at < source.length; at += source[at] === '\\' ? 2 : 1) {
    if (source[at] === '\n') return start + 1
    if (source[at] === '[') isInClass = true
    if (source[at] === ']') isInClass = false
    if (source[at] === '/' && !isInClass) return at + 1
  }
  return start + 1
}
