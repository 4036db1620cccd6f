import { Fault, faultFamily } from '../../specs/fault.ts'

/**
 * A fault that ended a run, with how to go on where that can help: after an interruption, or when the infrastructure
 * works again.
 */
export function withResumeHint(fault: Fault, run: string): Fault {
  const family = faultFamily(fault.code)
  if (family !== 'interrupted' && family !== 'infra') return fault
  return new Fault(fault.code, `${fault.message}; go on with: assay run --resume ${run}`, { cause: fault })
}
