import type { JournalLine } from '../../specs/journal.ts'
import { printable } from '../pure/printable.ts'
import type { RunState } from '../state.ts'
import { eventText } from './event-text.ts'
import { paint, wantsColour } from './paint.ts'

/** Shows a run as it happens: a line for each event and, on a terminal, one line below for what is under way. */
export interface LiveView {
  readonly event: (line: JournalLine, state: RunState) => void
  /** A line that is no event: an image being built, for one. */
  readonly note: (text: string) => void
  /** What is under way, for the line below, where it is not one run's. */
  readonly status: (texts: readonly string[]) => void
  /** What a worker prints: its last line stands beside what is under way, on a terminal only. */
  readonly output: (attempt: number, text: string) => void
  readonly end: () => void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

/**
 * @param out where to, usually stderr: stdout is for results.
 * @param nowMs a monotonic clock in milliseconds.
 */
export function liveView(out: NodeJS.WriteStream, nowMs: () => number): LiveView {
  const colour = wantsColour(out)
  const brush = paint(colour)
  const started = nowMs()
  let underWay: readonly Busy[] = []
  const lastLines = new Map<number, string>()
  let frame = 0
  const timer = out.isTTY ? setInterval(draw, 120) : undefined
  timer?.unref()

  function draw(): void {
    if (underWay.length === 0) return
    frame = (frame + 1) % FRAMES.length
    const texts = underWay.map(({ attempt, text }) => withLastLine(text, lastLines.get(attempt)))
    const text = `${FRAMES[frame] ?? ''} ${texts.join(' · ')}`
    out.write(`\r\u001b[2K${text.slice(0, Math.max(20, (out.columns || 80) - 1))}`)
  }
  function clear(): void {
    if (out.isTTY) out.write('\r\u001b[2K')
  }
  function print(text: string): void {
    clear()
    const seconds = ((nowMs() - started) / 1000).toFixed(1).padStart(6)
    out.write(`${brush('dim', `${seconds} s`)}  ${text}\n`)
  }
  return {
    event(line, state) {
      underWay = namesUnderWay(state)
      const text = eventText(line.body, brush)
      if (text !== undefined) print(text)
    },
    note: print,
    status(texts) {
      underWay = texts.map((text) => ({ attempt: 0, text }))
    },
    output(attempt, text) {
      const line = lastLineOf(text)
      if (line !== undefined) lastLines.set(attempt, line)
    },
    end() {
      clearInterval(timer)
      clear()
    },
  }
}

/** Something under way; attempt 0 is the oracle. */
interface Busy {
  readonly attempt: number
  readonly text: string
}

const SHOWN_OUTPUT_CHARACTERS = 60

function lastLineOf(text: string): string | undefined {
  return text.split('\n').findLast((line) => line.trim() !== '')
}

function withLastLine(text: string, line: string | undefined): string {
  return line === undefined || !text.endsWith('working')
    ? text
    : `${text}: ${printable(line.trim(), SHOWN_OUTPUT_CHARACTERS)}`
}

function namesUnderWay(state: RunState): Busy[] {
  if (state.end !== undefined) return []
  const oracle = state.seal.is === 'sealing' ? [{ attempt: 0, text: 'oracle' }] : []
  const busy = state.attempts
    .filter(({ phase }) => ['working', 'opening', 'grading', 'hearing', 'stopping'].includes(phase.is))
    .map(({ attempt, phase }) => ({ attempt, text: `attempt ${attempt} ${phase.is}` }))
  return [...oracle, ...busy]
}
