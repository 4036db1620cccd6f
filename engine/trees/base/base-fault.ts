import { Fault } from '../../../specs/fault.ts'

/** A base that cannot be had: names the field of `task.yaml` and what was expected of it. */
export function baseFault(field: string, message: string, cause?: unknown): Fault {
  return new Fault('config/base', `task.yaml: base.${field}: ${message}`, { cause })
}
