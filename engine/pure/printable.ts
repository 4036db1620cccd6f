/**
 * Text from a box as one safe line for a terminal: control characters (ANSI among them), line breaks and characters
 * that change the reading direction are written as escapes, and the rest is cut after `max` characters.
 */
export function printable(text: string, max = 200): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text
  return cut.replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => {
      if (character === '\n') return '\\n'
      if (character === '\t') return '\\t'
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    },
  )
}
