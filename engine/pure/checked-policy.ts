import { Fault } from '../../specs/fault.ts'
import { policySchema, type Policy } from '../../specs/policy.ts'
import { describeIssues } from './config-problems.ts'

/**
 * Fields of a policy that a program gave, held against the format: the type system keeps nobody from a number outside
 * of its range, and a run would find that out from its own journal.
 * @returns only the fields that were given.
 * @throws Fault `config/policy` that names the field and what was expected.
 */
export function checkedPolicy(overrides: Partial<Policy> | undefined): Partial<Policy> {
  const given = Object.fromEntries(
    Object.entries(overrides ?? {}).filter(([, value]) => (value as unknown) !== undefined),
  )
  const parsed = policySchema.safeParse(given)
  if (!parsed.success) throw new Fault('config/policy', describeIssues('policy', parsed.error))
  return Object.fromEntries(Object.entries(parsed.data).filter(([field]) => Object.hasOwn(given, field)))
}
