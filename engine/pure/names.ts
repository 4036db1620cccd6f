// C0, DEL, C1, line and paragraph separators, and what turns the direction of text around.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Whether a name holds what could make a terminal, a log or a reader see another name. */
export function hasControlCharacter(name: string): boolean {
  return CONTROL.test(name)
}

/** Bytes of a name as UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
