import { isJson } from '../../specs/json.ts'

/**
 * The channel out of a box (D6): lines `<nonce> <kind> <json>`, each ended by a newline. Everything on it is hostile. Nothing
 * here throws: what is no frame is a problem, and a problem is never an observation.
 */
export interface Frame {
  readonly from: 'wrapper' | 'host'
  readonly kind: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface FrameProblem {
  /** `cut`: the last line has no end, as when a process was killed while writing. Everything else nobody of ours wrote. */
  readonly kind: 'cut' | 'forged' | 'oversize' | 'not-text' | 'not-json'
  readonly detail: string
}

export interface FrameReading {
  readonly frames: readonly Frame[]
  readonly problems: readonly FrameProblem[]
}

/** Nonces of one run: new for every run, known to the wrapper and the host only. */
export interface Nonces {
  readonly wrapper: string
  readonly host: string
}

const MAX_LINE_BYTES = 8_000_000
const MAX_PROBLEMS = 20
const SHOWN_CHARS = 80
const NEWLINE = 10

/** Reads all frames of one run from the bytes that came out on its channel. */
export function readFrames(bytes: Uint8Array, nonces: Nonces): FrameReading {
  const frames: Frame[] = []
  const problems: FrameProblem[] = []
  let start = 0
  while (start < bytes.length && problems.length < MAX_PROBLEMS) {
    const end = bytes.indexOf(NEWLINE, start)
    if (end === -1) {
      problems.push({ kind: 'cut', detail: `${bytes.length - start} bytes without an end` })
      break
    }
    const read = readLine(bytes.subarray(start, end), nonces)
    if ('from' in read) frames.push(read)
    else problems.push(read)
    start = end + 1
  }
  return { frames, problems }
}

function readLine(line: Uint8Array, nonces: Nonces): Frame | FrameProblem {
  if (line.length > MAX_LINE_BYTES) return { kind: 'oversize', detail: `a line of ${line.length} bytes` }
  const text = decode(line)
  if (text === undefined) return { kind: 'not-text', detail: 'a line that is not UTF-8' }
  const match = /^([0-9a-f]+) ([a-z]+) (\{.*\})$/s.exec(text)
  const [nonce, kind, json] = [match?.[1], match?.[2], match?.[3]]
  const from = nonce === nonces.host ? 'host' : nonce === nonces.wrapper ? 'wrapper' : undefined
  if (from === undefined || kind === undefined || json === undefined) {
    return { kind: 'forged', detail: JSON.stringify(text.slice(0, SHOWN_CHARS).toWellFormed()) }
  }
  const body = parse(json)
  return body === undefined
    ? { kind: 'not-json', detail: `a ${kind} frame that holds no JSON object` }
    : { from, kind, body }
}

function decode(line: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)
  } catch {
    return undefined
  }
}

function parse(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isJson(value) && typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
