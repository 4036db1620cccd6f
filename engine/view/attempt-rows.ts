import { printable } from '../pure/printable.ts'
import type { RunState } from '../state.ts'
import type { AttemptPhase } from '../state/attempts.ts'

/** What is known of an attempt besides its state. */
export interface AttemptSeen {
  readonly label: string
  /** Milliseconds since its present step began. */
  readonly ms: number
  /** The last line that its worker printed. */
  readonly lastLine?: string
}

const LABEL_CHARACTERS = 24
const LINE_CHARACTERS = 200

/**
 * A line for each attempt that is not over: number, label, round, state, k of n, time and cost, and what its worker printed
 * last. A cost that nobody counts is a dash, never 0.
 */
export function attemptRows(state: RunState, seen: (attempt: number) => AttemptSeen): readonly string[] {
  if (state.end !== undefined) return []
  const rows = state.attempts
    .filter(({ phase }) => !isOver(phase))
    .map(({ attempt, round, phase }) => {
      const { label, ms, lastLine } = seen(attempt)
      const score = 'grade' in phase ? `${phase.grade.failed}/${phase.grade.of} failed` : ''
      const line =
        phase.is === 'working' && lastLine !== undefined ? printable(lastLine.trim(), LINE_CHARACTERS) : ''
      const cells = [
        String(attempt).padStart(2),
        printable(label, LABEL_CHARACTERS).padEnd(LABEL_CHARACTERS),
        `round ${round}`,
        phase.is.padEnd(9),
        score.padEnd(10),
        `${Math.round(ms / 1000)} s`.padStart(6),
        'cost –',
        line,
      ]
      return cells.join('  ').trimEnd()
    })
  const others = [
    ...(state.seal.is === 'sealing' ? ['    oracle: writing checks'] : []),
    ...(state.comparison.is === 'comparing' ? ['    comparing on fresh scenarios'] : []),
    ...(state.landing !== undefined && /ing$/.test(state.landing.is) ? [`    ${state.landing.is}`] : []),
  ]
  return [...others, ...rows]
}

function isOver(phase: AttemptPhase): boolean {
  return phase.is === 'graded' || phase.is === 'gate-refused' || phase.is === 'stopped'
}
