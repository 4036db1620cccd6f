import type { EventBody } from '../../specs/journal.ts'
import { printable } from '../pure/printable.ts'
import { deliveryText } from '../pure/report.ts'
import { count } from './count.ts'
import type { Paint } from './paint.ts'

/** One event as one line for a person; undefined for what is not worth a line. */
export function eventText(event: EventBody, brush: Paint): string | undefined {
  switch (event.type) {
    case 'run-started':
      return `run ${event.run}: ${count(event.attempts.length, 'attempt')} at ${event.task.id}`
    case 'oracle-tried':
      return `oracle: try ${event.try}, ${event.outcome}${event.reasons === 0 ? '' : `, ${count(event.reasons, 'reason')} against it`}`
    case 'sealed':
      return `${brush('cyan', 'sealed')} ${event.seal.slice(0, 19)}…: ${event.claims} claims, ${event.rows} rows, before any output was opened`
    case 'not-sealed':
      return `${brush('yellow', 'not sealed')}: ${printable(event.reasons[0] ?? 'no reason', 300)}`
    case 'delivered':
      return `attempt ${event.attempt}: delivered (${deliveryText(event.end)})`
    case 'opened':
      return event.gate.kind === 'passed'
        ? `attempt ${event.attempt}: tree ${event.tree?.slice(0, 12) ?? ''}, ${count(event.changed, 'changed path')}, gate passed`
        : `attempt ${event.attempt}: ${brush('red', 'refused at the gate')}: ${refusalText(event.gate.refusals)}`
    case 'graded':
      return `attempt ${event.attempt}: ${verdictText(event, brush)}, ${event.failed} of ${event.of} checks failed${event.cached ? ' (graded before)' : ''}`
    case 'feedback-given':
      return `attempt ${event.attempt}: told ${event.failed} of ${event.of}`
    case 'stopped':
      return `attempt ${event.attempt}: stopped`
    case 'seal-failed':
    case 'work-failed':
    case 'open-failed':
    case 'grade-failed':
      return `${brush('yellow', event.type)}: ${event.fault.code}: ${printable(event.fault.message, 300)}`
    case 'compared':
      return event.differences === 0
        ? `compared on ${count(event.scenarios, 'fresh scenario')}: attempts ${event.attempts.join(', ')} behave the same`
        : `${brush('yellow', 'compared')}: attempts ${event.attempts.join(', ')} differ: ${printable(event.first ?? '', 300)}`
    case 'merged':
      return `attempt ${event.attempt}: merged with ${event.tip.slice(0, 12)}: tree ${event.tree.slice(0, 12)}, ${count(event.changed, 'path')} would change`
    case 'merge-conflict':
      return `attempt ${event.attempt}: ${brush('yellow', 'conflict')} with ${event.tip.slice(0, 12)}: ${printable(event.paths.join(', '), 300)}`
    case 'regraded':
      return `attempt ${event.attempt}: merged tree ${verdictText(event, brush)}, ${event.failed} of ${event.of} checks failed${event.cached ? ' (graded before)' : ''}`
    case 'committed':
      return `attempt ${event.attempt}: commit ${event.commit.slice(0, 12)} on top of ${event.tip.slice(0, 12)}`
    case 'landed':
      return brush('green', `landed ${event.commit.slice(0, 12)}`)
    case 'target-moved':
      return `attempt ${event.attempt}: the branch moved to ${event.tip.slice(0, 12)}`
    case 'land-refused':
      return `attempt ${event.attempt}: ${brush('yellow', 'not taken')}: ${printable(event.why, 300)}`
    case 'compare-failed':
    case 'landing-failed':
      return `${brush('yellow', event.type)}: ${event.fault.code}: ${printable(event.fault.message, 300)}`
    case 'resolved':
      return `${event.how} by ${printable(event.by, 100)}: ${printable(event.reason, 300)}`
    case 'resumed':
      return `resumed: ${printable(event.reason)}`
    case 'decided':
      return decisionText(event.decision, brush)
  }
}

function decisionText(
  decision: Extract<EventBody, { type: 'decided' }>['decision'],
  brush: Paint,
): string | undefined {
  switch (decision.do) {
    case 'start':
      return `attempt ${decision.attempt}: round ${decision.round} begins`
    case 'grade':
      return `attempt ${decision.attempt}: grading`
    case 'stop':
      return `attempt ${decision.attempt}: stop (${decision.why})`
    case 'complete':
      return brush('green', `complete with attempt ${decision.attempt}`)
    case 'refute':
      return brush('red', decision.by === 'person' ? 'rejected' : 'refuted')
    case 'compare':
      return `comparing attempts ${decision.attempts.join(', ')} on fresh scenarios`
    case 'regrade':
      return `attempt ${decision.attempt}: grading the merged tree`
    case 'hold':
      return brush('yellow', `held: ${decision.cause}`)
    case 'seal':
      return 'oracle: writing checks'
    case 'open':
    case 'feedback':
    case 'merge':
    case 'commit':
    case 'land':
    case 'wait':
      return undefined
  }
}

function refusalText(
  refusals: readonly { readonly path: string; readonly reason: string; readonly detail: string }[],
): string {
  const [first] = refusals
  if (first === undefined) return 'no reason given'
  const more = refusals.length > 1 ? ` (and ${refusals.length - 1} more)` : ''
  return `${printable(first.path)}: ${printable(first.reason)}: ${printable(first.detail, 300)}${more}`
}

function verdictText(event: Extract<EventBody, { type: 'graded' | 'regraded' }>, brush: Paint): string {
  if (event.findings > 0) return brush('red', `tampering, ${event.findings} findings`)
  const colour = event.verdict === 'verified' ? 'green' : event.verdict === 'refuted' ? 'red' : 'yellow'
  return brush(colour, event.verdict)
}
