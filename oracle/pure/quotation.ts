/**
 * Whether a quotation occurs in a request.
 *
 * Both are folded first: white space, quotation marks, dashes, and the marks by which Markdown says list, heading,
 * quote or emphasis. Words, their order and their case are never folded, and nothing may be left out in between.
 */
export function occursIn(request: string, quotation: string): boolean {
  const wanted = fold(quotation).replace(/^["' ]+|["' ]+$/g, '')
  return isLongEnough(wanted) && fold(request).includes(wanted)
}

/** A lone "the" occurs in every request and ties a claim to nothing. */
function isLongEnough(folded: string): boolean {
  return folded.length >= 12 || /\S \S/.test(folded)
}

function fold(text: string): string {
  return text
    .normalize('NFC')
    .replace(/^[ \t]*(?:(?:[-*+]|\d{1,3}[.)]|>+|#{1,6})[ \t]+)+/gm, '')
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replace(/[‐‑‒–—]/g, '-')
    .replace(/[*`]/g, '')
    .replace(/(?<![\p{L}\p{N}_])_+(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}])_+(?![\p{L}\p{N}_])/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}
