import type { AttemptReport, Report } from '../../engine/pure/report.ts'
import type { HoldCause } from '../../specs/decision.ts'
import type { Grade, Verdict } from '../../specs/grade.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Outcome } from './seed.ts'

/** What a grade or a run with one attempt came to. */
export interface Ended {
  readonly verdict: Verdict | 'unfinished'
  readonly heldFor?: HoldCause | undefined
  readonly opened?: Extract<EventBody, { type: 'opened' }> | undefined
  readonly grade?: Grade | undefined
  /** Why the checks could not be sealed. */
  readonly notSealed?: readonly string[] | undefined
}

/** The same in a word or two, and the first things that say why. */
export interface Seen {
  readonly outcome: Outcome
  readonly because: readonly string[]
}

/**
 * What a run of several attempts came to is told of one: the one that completed, else the one that the hold names, else
 * the first that was graded, else the first. So no attempt is seen with the gate or the grade of another.
 */
export function tellingAttempt({
  outcome,
  attempts,
}: Pick<Report, 'outcome' | 'attempts'>): AttemptReport | undefined {
  const completed = outcome?.outcome === 'completed' ? outcome.attempt : undefined
  const held = outcome?.outcome === 'held' ? outcome.decision.attempt : undefined
  const named = attempts.find(({ attempt }) => attempt === (completed ?? held))
  return named ?? attempts.find(({ grade }) => grade !== undefined) ?? attempts[0]
}

/** Names what something came to; pure. */
export function seenOf({ verdict, heldFor, opened, grade, notSealed = [] }: Ended): Seen {
  if (opened?.gate.kind === 'refused') {
    const [first] = opened.gate.refusals
    return { outcome: `refused ${first?.reason ?? 'unknown'}`, because: opened.gate.refusals.map(textOf) }
  }
  const because = grade === undefined ? notSealed : reasonsOf(grade)
  if (heldFor === 'tampered') return { outcome: `tampered ${grade?.findings[0]?.kind ?? 'unknown'}`, because }
  if (heldFor !== undefined) return { outcome: `held ${heldFor}`, because }
  return { outcome: verdict === 'verified' || verdict === 'refuted' ? verdict : `held ${verdict}`, because }
}

function textOf({ path, detail }: { readonly path: string; readonly detail: string }): string {
  return `${JSON.stringify(path)}: ${detail}`
}

function reasonsOf({ findings, rows, claims }: Grade): readonly string[] {
  return [
    ...findings.map(({ kind, row, detail }) => `${kind}${row === undefined ? '' : ` in ${row}`}: ${detail}`),
    ...rows
      .filter(({ result, role }) => result !== 'pass' && role !== 'canary')
      .map(({ row, result, runs }) => {
        const mismatch = runs.find((run) => run.mismatch !== undefined)?.mismatch
        return `${row} ${result}${mismatch === undefined ? '' : `: ${mismatch}`}`
      }),
    ...claims.flatMap(({ claim, missing }) => (missing === undefined ? [] : [`${claim}: ${missing}`])),
  ]
}
