import type { JournalLine } from '../../specs/journal.ts'

/**
 * Milliseconds that an attempt's worker has worked, all of its rounds together. A round that was cut off by the end of
 * the process counts until the last event before the run went on. A clock that was set back counts nothing.
 */
export function attemptTimeMs(lines: readonly JournalLine[], attempt: number): number {
  let sum = 0
  let since: number | undefined
  let last = 0
  const until = (at: number) => {
    if (since !== undefined) sum += Math.max(0, at - since)
    since = undefined
  }
  for (const { at, body } of lines) {
    const time = Date.parse(at)
    if (body.type === 'resumed') until(last)
    else if (body.type === 'decided' && body.decision.do === 'start' && body.decision.attempt === attempt)
      since = time
    else if ((body.type === 'delivered' || body.type === 'work-failed') && body.attempt === attempt)
      until(time)
    last = time
  }
  return sum
}
