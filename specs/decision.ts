import { z } from 'zod'

/** Why a run is held; each comes with what is missing. */
export const holdCauseSchema = z.enum([
  /** The oracle's set was not admitted, or there was none. */
  'not-sealed',
  /** An integrity finding: canary passed, forged or missing frame, leftovers. */
  'tampered',
  /** What would be installed changed. */
  'dependencies',
  /** The landing checks have answered as often as the policy allows. */
  'landing-spent',
  /** A claim could not be settled. */
  'unverifiable',
  /** Evidence weaker than the policy demands. */
  'strength',
  /** Verified by suites, but what configures a test runner changed. */
  'runner-configuration',
  /** Verified, but no guard watched for harm and the policy wants one. */
  'no-guard',
  /** Engine, disk, network. Never counted against a worker. */
  'infrastructure',
  /** No attempt delivered anything that could be graded. */
  'nothing-delivered',
])

export type HoldCause = z.infer<typeof holdCauseSchema>

export const gapSchema = z.enum(['spec', 'fixture', 'observability'])
export type Gap = z.infer<typeof gapSchema>

const attempt = z.number().int().min(1)
const round = z.number().int().min(1)

/** What `decide()` answers. See `specs/decide.md` for the table. */
export const decisionSchema = z.discriminatedUnion('do', [
  /** Ask the oracle for a check set, admit it on base, seal it. */
  z.strictObject({ do: z.literal('seal') }),
  /** Let a worker work: a new attempt, or its next round. */
  z.strictObject({ do: z.literal('start'), attempt, round }),
  /** Open what a worker delivered: build its tree and put it through the gate. Only after the seal. */
  z.strictObject({ do: z.literal('open'), attempt, round }),
  z.strictObject({ do: z.literal('grade'), attempt, round }),
  /** Tell the worker k of n, at the cost of `bits`. */
  z.strictObject({
    do: z.literal('feedback'),
    attempt,
    round,
    failed: z.number().int(),
    of: z.number().int(),
    bits: z.number(),
  }),
  /** End an attempt that still works: it lost the race, or nothing can come of it. */
  z.strictObject({ do: z.literal('stop'), attempt, why: z.enum(['lost', 'not-sealed']) }),
  z.strictObject({ do: z.literal('complete'), attempt }),
  z.strictObject({ do: z.literal('refute') }),
  z.strictObject({
    do: z.literal('hold'),
    cause: holdCauseSchema,
    gap: gapSchema.optional(),
    attempt: attempt.optional(),
    missing: z.string(),
  }),
  /** Nothing to do until something happens; of a finished run: nothing ever. */
  z.strictObject({ do: z.literal('wait') }),
])
export type Decision = z.infer<typeof decisionSchema>
