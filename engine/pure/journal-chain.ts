import { digestOf } from '../../specs/digest.ts'
import {
  GENESIS,
  JOURNAL_VERSION,
  journalLineSchema,
  type EventBody,
  type JournalLine,
} from '../../specs/journal.ts'
import { wellFormed } from './well-formed.ts'

/** Where a journal stops being one. `good` is the last event that holds. */
export type ChainResult =
  | { readonly kind: 'whole'; readonly lines: readonly JournalLine[] }
  | {
      readonly kind: 'broken'
      readonly lines: readonly JournalLine[]
      /** 1-based line of the file. */
      readonly line: number
      readonly why: string
      /** Whether all of it holds but for a last line that has no newline. */
      readonly isTorn: boolean
    }

/**
 * The next line: the hash covers everything else, `prev` the line before. Texts in the body are made well-formed: they
 * hold names and words of workers, and no name must keep an event from being written.
 */
export function nextLine(last: JournalLine | undefined, at: string, body: EventBody): JournalLine {
  const open = {
    v: JOURNAL_VERSION,
    seq: last === undefined ? 0 : last.seq + 1,
    at,
    prev: last?.hash ?? GENESIS,
    body: wellFormed(body),
  } as const
  return { ...open, hash: digestOf(open) }
}

/**
 * Reads a journal's text, line by line, up to the first that does not hold.
 * A last line without its newline is a write that was cut off: `broken`, never silently dropped.
 */
export function readChain(text: string): ChainResult {
  const lines: JournalLine[] = []
  const raw = text.split('\n')
  const rest = raw.pop() ?? ''
  for (const [index, one] of raw.entries()) {
    const why = problemOf(one, lines)
    if (why !== undefined) return { kind: 'broken', lines, line: index + 1, why, isTorn: false }
  }
  if (rest !== '') {
    const why = 'the last line was cut off'
    return { kind: 'broken', lines, line: raw.length + 1, why, isTorn: true }
  }
  return { kind: 'whole', lines }
}

/** Appends the line to `lines` when it holds, else says why not. */
function problemOf(text: string, lines: JournalLine[]): string | undefined {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  if (typeof data === 'object' && data !== null && 'v' in data && data.v !== JOURNAL_VERSION) {
    return `journal version ${JSON.stringify(data.v)}, expected ${JOURNAL_VERSION}`
  }
  const parsed = journalLineSchema.safeParse(data)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not an event'}`
  }
  const line = parsed.data
  const expected = nextLine(lines.at(-1), line.at, line.body)
  if (line.seq !== expected.seq) return `event ${line.seq} where ${expected.seq} was expected`
  if (line.prev !== expected.prev) return 'it does not follow the event before it'
  // Half a surrogate pair, which no journal of ours holds, would have the hash of the mended text.
  const isOurs = JSON.stringify(line.body) === JSON.stringify(expected.body)
  if (line.hash !== expected.hash || !isOurs) return 'its hash does not match its content'
  lines.push(line)
  return undefined
}
