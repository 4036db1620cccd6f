import type { CheckSet } from '../../specs/check-set.ts'
import { embeddedAnswers, overSpecified } from './answers.ts'
import { suspicionsIn, visibleText } from './instructions.ts'
import { occursIn } from './quotation.ts'

/** Lines named of all files of base together, and of the request. */
const MOST_LINES = 10

/**
 * What a person should look at in the texts that a set was made from and in the set itself, one line each, by name. None
 * of it decides anything: what it did to the set shows in its rows and trials.
 * @param base files of base that are text, by path.
 */
export function suspicionsOf(
  set: CheckSet,
  request: string,
  base: ReadonlyMap<string, Uint8Array>,
): readonly string[] {
  const decoder = new TextDecoder()
  const inBase = [...base].flatMap(([path, bytes]) =>
    linesOf(`instructions-in-base: ${path}`, decoder.decode(bytes)),
  )
  return [
    ...capped('instructions-in-request', linesOf('instructions-in-request: the request', request)),
    ...capped('instructions-in-base', inBase),
    ...quotesOfHidden(set, request),
    ...embeddedAnswers(set, request),
    ...overSpecified(set, request),
  ]
}

function linesOf(place: string, text: string): readonly string[] {
  return suspicionsIn(text).map(({ line, why, excerpt }) => `${place} line ${line}: ${why}: ${excerpt}`)
}

function capped(name: string, lines: readonly string[]): readonly string[] {
  const left = lines.length - MOST_LINES
  return left > 0 ? [...lines.slice(0, MOST_LINES), `${name}: and ${left} more`] : lines
}

/** A claim that comes from what only a machine reads in the request. */
function quotesOfHidden({ document }: CheckSet, request: string): readonly string[] {
  const visible = visibleText(request)
  return document.claims
    .filter(({ spec_ref }) => occursIn(request, spec_ref) && !occursIn(visible, spec_ref))
    .map(({ id }) => `quotes-hidden-text: claim ${id} quotes what a reader of the request does not see`)
}
