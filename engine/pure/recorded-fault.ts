import type { Fault } from '../../specs/fault.ts'
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
