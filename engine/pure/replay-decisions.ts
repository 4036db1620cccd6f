import { canonicalJson } from '../../specs/digest.ts'
import type { Decision } from '../../specs/decision.ts'
import type { JournalLine } from '../../specs/journal.ts'
import { decide } from '../decide.ts'
import { evolve, initialState } from '../state.ts'

/** The first event at which a replay and the record part. */
export interface Divergence {
  readonly seq: number
  readonly what: string
  readonly recorded: string
  readonly replayed: string
}

export interface DecisionReplay {
  readonly decisions: number
  readonly divergence: Divergence | undefined
}

/**
 * Folds a journal again and decides again before every recorded decision; they must be byte-identical as canonical
 * JSON. Also tells when the record lacks a decision at its end that this `decide` would make.
 * @param check what else has to hold of an event; asked in their order, so that the first divergence is the first.
 */
export function replayDecisions(
  lines: readonly JournalLine[],
  check: (line: JournalLine) => Divergence | undefined = () => undefined,
): DecisionReplay {
  let state = initialState
  let decisions = 0
  for (const line of lines) {
    const { seq, body } = line
    if (body.type === 'decided') {
      decisions++
      const replayed = decide(state)
      const divergence = compare(seq, body.decision, replayed)
      if (divergence !== undefined) return { decisions, divergence }
    }
    const other = check(line)
    if (other !== undefined) return { decisions, divergence: other }
    state = evolve(state, body)
  }
  const last = lines.at(-1)
  const left = decide(state)
  if (last !== undefined && left.do !== 'wait') {
    const divergence = {
      seq: last.seq + 1,
      what: 'decision',
      recorded: '(end of the journal)',
      replayed: canonicalJson(left),
    }
    return { decisions, divergence }
  }
  return { decisions, divergence: undefined }
}

function compare(seq: number, recorded: Decision, replayed: Decision): Divergence | undefined {
  const [was, is] = [canonicalJson(recorded), canonicalJson(replayed)]
  return was === is ? undefined : { seq, what: 'decision', recorded: was, replayed: is }
}
