import type { JournalLine } from '../../specs/journal.ts'
import { attemptRows } from './attempt-rows.ts'
import type { RunState } from '../state.ts'
import { eventText } from './event-text.ts'
import { paint, wantsColour } from './paint.ts'

/** Shows a run as it happens: a line for each event and, on a terminal, one below for each attempt that is under way. */
export interface LiveView {
  readonly event: (line: JournalLine, state: RunState) => void
  /** A line that is no event: an image being built, for one. */
  readonly note: (text: string) => void
  /** What is under way, for the line below, where it is not one run's. */
  readonly status: (texts: readonly string[]) => void
  /** What a worker prints: its last line stands beside its attempt, on a terminal only. */
  readonly output: (attempt: number, text: string) => void
  readonly end: () => void
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const DRAW_MS = 120
/** Lines below the events; a terminal has few. */
const MAX_ROWS = 12

/**
 * @param out where to, usually stderr: stdout is for results.
 * @param nowMs a monotonic clock in milliseconds.
 */
export function liveView(out: NodeJS.WriteStream, nowMs: () => number): LiveView {
  const brush = paint(wantsColour(out))
  const started = nowMs()
  const labels = new Map<number, string>()
  const since = new Map<number, { readonly phase: string; readonly ms: number }>()
  const lastLines = new Map<number, string>()
  let rows: () => readonly string[] = () => []
  let [frame, drawn] = [0, 0]
  const timer = out.isTTY ? setInterval(draw, DRAW_MS) : undefined
  timer?.unref()

  function draw(): void {
    const texts = rows().slice(0, MAX_ROWS)
    clear()
    if (texts.length === 0) return
    frame = (frame + 1) % FRAMES.length
    const width = Math.max(20, (out.columns || 80) - 1)
    out.write(texts.map((text) => `${FRAMES[frame] ?? ''} ${text}`.slice(0, width)).join('\n'))
    drawn = texts.length
  }
  /** Takes away what was drawn below, and stands where it began. */
  function clear(): void {
    if (!out.isTTY) return
    out.write(`${'\r\u001b[2K\u001b[1A'.repeat(Math.max(0, drawn - 1))}\r\u001b[2K`)
    drawn = 0
  }
  function print(text: string): void {
    clear()
    const seconds = ((nowMs() - started) / 1000).toFixed(1).padStart(6)
    out.write(`${brush('dim', `${seconds} s`)}  ${text}\n`)
  }
  const seen = (attempt: number) => {
    const lastLine = lastLines.get(attempt)
    return {
      label: labels.get(attempt) ?? '',
      ms: nowMs() - (since.get(attempt)?.ms ?? nowMs()),
      ...(lastLine === undefined ? {} : { lastLine }),
    }
  }
  return {
    event({ body }, state) {
      if (body.type === 'run-started')
        for (const { attempt, label } of body.attempts) labels.set(attempt, label)
      for (const { attempt, phase } of state.attempts) {
        if (since.get(attempt)?.phase !== phase.is) since.set(attempt, { phase: phase.is, ms: nowMs() })
      }
      rows = () => attemptRows(state, seen)
      const text = eventText(body, brush)
      if (text !== undefined) print(text)
    },
    note: print,
    status(texts) {
      rows = () => texts
    },
    output(attempt, text) {
      const line = text.split('\n').findLast((one) => one.trim() !== '')
      if (line !== undefined) lastLines.set(attempt, line)
    },
    end() {
      clearInterval(timer)
      clear()
    },
  }
}
