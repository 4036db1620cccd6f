import { faultFamily, isRetryable, type Fault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import { cutText } from './well-formed.ts'

/** A fault as events have it. */
export interface RecordedFault {
  readonly code: string
  readonly message: string
}

const MAX_MESSAGE_CHARACTERS = 4000

/** What the journal keeps of a fault. */
export function recordedFault({ code, message }: Fault): RecordedFault {
  return { code, message: cutText(message, MAX_MESSAGE_CHARACTERS) }
}

/** The event of a fault that a run goes on after; undefined when it does not. */
export type FailedEvent = (fault: Fault) => EventBody | undefined

/** A run goes on after an infrastructure that failed, and after nothing else. */
export function ofInfrastructure(event: (fault: RecordedFault) => EventBody): FailedEvent {
  return (fault) => (isRetryable(fault.code) ? event(recordedFault(fault)) : undefined)
}

/** What runs checks can also find that the set itself is unusable, which the fold tells by the code. */
export function ofGrading(event: (fault: RecordedFault) => EventBody): FailedEvent {
  return (fault) => (isRetryable(fault.code) || isOfOracle(fault) ? event(recordedFault(fault)) : undefined)
}

/** A set that cannot be used goes to a person; an engine that failed is asked again. */
export const ofSealing: FailedEvent = (fault) => {
  if (isOfOracle(fault)) return { type: 'not-sealed', reasons: [recordedFault(fault).message], gap: 'spec' }
  return ofInfrastructure((told) => ({ type: 'seal-failed', fault: told }))(fault)
}

function isOfOracle({ code }: Fault): boolean {
  return faultFamily(code) === 'oracle'
}
