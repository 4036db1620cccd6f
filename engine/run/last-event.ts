import { Fault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Journal } from '../journal/journal.ts'

/** The last event of a type about an attempt. @throws Fault `bug/journal` when there is none. */
export function lastEvent<T extends EventBody['type']>(
  journal: Journal,
  type: T,
  attempt: number,
): Extract<EventBody, { type: T }> {
  for (const { body } of journal.lines.toReversed()) {
    if (body.type === type && 'attempt' in body && body.attempt === attempt) {
      return body as Extract<EventBody, { type: T }>
    }
  }
  throw new Fault('bug/journal', `attempt ${attempt} has no event ${type}`)
}
