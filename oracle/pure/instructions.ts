import { readable } from './readable.ts'

/** Text that talks to whoever reads it for a machine, or that a reader does not see. */
export interface Suspicion {
  /** From 1. */
  readonly line: number
  readonly why: 'addresses the oracle' | 'hidden text addresses the oracle' | 'characters that nobody sees'
  readonly excerpt: string
}

const EXCERPT_CHARS = 120
/** Longer lines are no text that anybody wrote; their beginning is looked at. */
const LINE_CHARS = 5000
const MOST_SUSPICIONS = 20

const MACHINES =
  '(?:AI|LLM|coding|autonomous)[ -]?(?:agent|assistant|model|reviewer)s?|language models?|(?:check|test|spec) (?:author|writer|generator)s?'
const READERS = `oracles?|graders?|verifiers?|judges?|${MACHINES}`
/** What somebody writes who wants a model to do something else than it was asked to. Linear: no nested repetition. */
const ADDRESSES: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.]{0,30}\b(?:previous|prior|above|earlier|preceding|all|any|your)\b[^.]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directions?)\b/i,
  new RegExp(
    `\\b(?:${MACHINES})\\b.{0,40}\\b(?:must|should|shall|has to|have to|needs? to|are required|is required|do not|don't|never)\\b`,
    'i',
  ),
  new RegExp(`\\b(?:if|when) you are an? (?:${READERS})\\b`, 'i'),
  new RegExp(
    `\\b(?:note|message|instructions?|attention)\\b.{0,10}\\b(?:to|for)\\b.{0,10}\\b(?:${READERS})\\b`,
    'i',
  ),
  /\b(?:write|keep|make|generate)\b.{0,30}\b(?:weak|trivial|lenient|empty|vacuous)\b.{0,20}\b(?:checks?|tests?|assertions?)\b/i,
  /\b(?:mark|report|accept|treat|approve)\b.{0,40}\b(?:as|to be) (?:verified|passed|passing|correct)\b.{0,40}\b(?:regardless|always|without|no matter|in any case)\b/i,
  /<\|?(?:im_start|im_end|system|endoftext)\|?>|\[\/?INST\]/,
]
/** Direction marks, zero-width characters, tag characters: what makes text read otherwise than it is. */
const UNSEEN =
  /[\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]|(?<![\p{Extended_Pictographic}\p{M}[\p{L}--\p{Script=Latin}]\ufe0f\u{1f3fb}-\u{1f3ff}])[\u200c\u200d]/v
/** A flag of a region is written in tag characters, and seen. */
const FLAGS = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}/gu
const UNSEEN_ALL = new RegExp(UNSEEN, 'gv')
const BASE64 = /[A-Za-z0-9+/]{40,4000}={0,2}/g
const TAG_TEXT = /[\u{e0020}-\u{e007e}]{4,}/gu

/**
 * What in a text speaks to the oracle rather than to a reader: plainly, behind characters that nobody sees, or encoded.
 * It is for people to look at and decides nothing: a file for agents says such things, too.
 */
export function suspicionsIn(text: string): readonly Suspicion[] {
  const found: Suspicion[] = []
  for (const [index, whole] of text.split('\n').entries()) {
    if (found.length >= MOST_SUSPICIONS) break
    const line = whole.slice(0, LINE_CHARS).replace(FLAGS, '')
    const suspicion = suspicionOf(line)
    if (suspicion !== undefined) found.push({ line: index + 1, ...suspicion })
  }
  return found
}

function suspicionOf(line: string): Omit<Suspicion, 'line'> | undefined {
  const hidden = [...hiddenTexts(line)].find(addressesOracle)
  if (hidden !== undefined) return { why: 'hidden text addresses the oracle', excerpt: excerptOf(hidden) }
  if (addressesOracle(line)) return { why: 'addresses the oracle', excerpt: excerptOf(line) }
  return UNSEEN.test(line) ? { why: 'characters that nobody sees', excerpt: excerptOf(line) } : undefined
}

function addressesOracle(text: string): boolean {
  return ADDRESSES.some((pattern) => pattern.test(text))
}

/** What a line says beside what a reader sees. */
function* hiddenTexts(line: string): Generator<string> {
  if (UNSEEN.test(line)) yield line.replace(UNSEEN_ALL, '')
  for (const [tags] of line.matchAll(TAG_TEXT)) {
    yield String.fromCodePoint(...Array.from(tags, (tag) => (tag.codePointAt(0) ?? 0) - 0xe0000))
  }
  for (const [encoded] of line.matchAll(BASE64)) yield decodeBase64(encoded)
  for (const [, comment = ''] of line.matchAll(/<!--(.*?)(?:-->|$)/g)) yield comment
}

function decodeBase64(encoded: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0)))
  } catch {
    return ''
  }
}

function excerptOf(text: string): string {
  return readable(
    text.replace(UNSEEN_ALL, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).trim(),
    EXCERPT_CHARS,
  )
}

/** A text of Markdown as its reader sees it: without comments. */
export function visibleText(markdown: string): string {
  return markdown.replace(/<!--[^]*?(?:-->|$)/g, '').replace(UNSEEN_ALL, '')
}
