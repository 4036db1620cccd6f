import type { Observation } from '../../specs/observation.ts'

/**
 * Text of a product or an author, fit for a terminal and a journal: control characters escaped, halves of surrogate
 * pairs replaced, cut at `maxChars`.
 */
export function readable(text: string, maxChars: number): string {
  const cut = text.length > maxChars ? `${text.slice(0, maxChars)}… (${text.length} characters)` : text
  return cut
    .toWellFormed()
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
}

/** An observation in one line. */
export function showObservation(observation: Observation): string {
  const { outcome, steps, ...rest } = observation
  const shown = steps.length === 0 ? rest : { ...rest, steps }
  return readable(`${outcome} ${JSON.stringify(shown)}`, 400)
}
