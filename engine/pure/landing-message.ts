import { cutText } from './well-formed.ts'

/** What a commit that landed says of how it came about. */
export interface LandingTrailers {
  readonly task: string
  readonly run: string
  readonly seal: string
  readonly verdict: string
  readonly grade: string
  /** What a person let pass, and who; in order. */
  readonly accepted: readonly string[]
}

const MAX_SUBJECT_CHARACTERS = 72
const MAX_BODY_CHARACTERS = 8000

const NAMES = [
  ['task', 'Assay-Task'],
  ['run', 'Assay-Run'],
  ['seal', 'Assay-Seal'],
  ['verdict', 'Assay-Verdict'],
  ['grade', 'Assay-Grade'],
] as const
const ACCEPTED = 'Assay-Accepted'

/**
 * The message of a commit: the request's first line, the request, and trailers. A request is data: nothing in it can
 * look like one of the trailers, since the trailers are the last paragraph and each line of the text before it that
 * begins as one is quoted.
 */
export function landingMessage(request: string, trailers: LandingTrailers): string {
  const lines = plainLines(request)
  const first = lines.find((line) => line.trim() !== '') ?? trailers.task
  const subject = subjectOf(first.replace(/^#+\s*/, '').trim(), trailers.task)
  const rest = lines.slice(lines.indexOf(first) + 1)
  const body = cutText(rest.join('\n').trim(), MAX_BODY_CHARACTERS)
  const paragraphs = [subject, ...(body === '' ? [] : [body]), trailerLines(trailers).join('\n')]
  return `${paragraphs.join('\n\n')}\n`
}

/** The trailers of a message; undefined of one that has not just those, each once. */
export function parseTrailers(message: string): LandingTrailers | undefined {
  const last = message.trimEnd().split('\n\n').at(-1) ?? ''
  const found = new Map<string, string>()
  const accepted: string[] = []
  for (const line of last.split('\n')) {
    const match = /^(Assay-[A-Za-z]+): (\S.*)$/.exec(line)
    const [, name = '', value = ''] = match ?? []
    if (match === null || found.has(name)) return undefined
    if (name === ACCEPTED) accepted.push(value)
    else found.set(name, value)
  }
  const values = NAMES.map(([, name]) => found.get(name))
  const [task, run, seal, verdict, grade] = values
  if (found.size !== NAMES.length) return undefined
  if (task === undefined || run === undefined || seal === undefined) return undefined
  if (verdict === undefined || grade === undefined) return undefined
  return { task, run, seal, verdict, grade, accepted }
}

function trailerLines(trailers: LandingTrailers): string[] {
  return [
    ...NAMES.map(([field, name]) => `${name}: ${oneLine(trailers[field])}`),
    ...trailers.accepted.map((what) => `${ACCEPTED}: ${oneLine(what)}`),
  ]
}

/** Lines without control characters; one that begins like a trailer is quoted. */
function plainLines(text: string): string[] {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => (one === '\t' ? ' ' : '')))
    .map((line) => (/^\s*assay-/i.test(line) ? `> ${line}` : line).trimEnd())
}

function subjectOf(text: string, task: string): string {
  const plain = text === '' ? task : text
  if (plain.length <= MAX_SUBJECT_CHARACTERS) return plain
  const cut = cutText(plain, MAX_SUBJECT_CHARACTERS - 1)
  return `${cut.replace(/\s+\S*$/, '')}…`
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim()
}
