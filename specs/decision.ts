import { z } from 'zod'
import { commitIdSchema, treeIdSchema } from './digest.ts'

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
  /** Verified outputs of one race behave differently. */
  'race-differs',
  /** Nothing could tell whether verified outputs of one race behave differently. */
  'not-compared',
  /** The output and what the branch became cannot be merged. */
  'conflict',
  /** The merged tree was refused at the gate or refuted, though the output alone was verified. */
  'merge-refuted',
  /** The branch moved more often than the policy allows. */
  'target-moves',
  /** What would land changes paths that the policy protects. */
  'protected-paths',
  /** The repository did not take the commit: a hook, a rule of its host. */
  'landing-refused',
])

export type HoldCause = z.infer<typeof holdCauseSchema>

export const gapSchema = z.enum(['spec', 'fixture', 'observability'])
export type Gap = z.infer<typeof gapSchema>

const attempt = z.number().int().min(1)
const round = z.number().int().min(1)
const tip = commitIdSchema.describe('the commit that the branch was at')

/** What `decide()` answers. See `specs/decide.md` for the table. */
export const decisionSchema = z.discriminatedUnion('do', [
  /** Ask the oracle for a check set, admit it on base, seal it. */
  z.strictObject({ do: z.literal('seal') }),
  /** Let a worker work: a new attempt, or its next round. */
  z.strictObject({ do: z.literal('start'), attempt, round }),
  /** Open what a worker delivered: build its tree and put it through the gate. Only after the seal. */
  z.strictObject({ do: z.literal('open'), attempt, round }),
  /** `fresh`: whatever was graded before; a person asked for it. */
  z.strictObject({ do: z.literal('grade'), attempt, round, fresh: z.literal(true).optional() }),
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
  /** Run the verified outputs of a race on the same fresh scenarios. */
  z.strictObject({ do: z.literal('compare'), attempts: z.array(attempt).min(2) }),
  /** Merge the winner's output with what the branch is now. */
  z.strictObject({ do: z.literal('merge'), attempt }),
  /** Grade the merged tree, which is another than the output, with the same seal. */
  z.strictObject({ do: z.literal('regrade'), attempt, tree: treeIdSchema }),
  /** Write the commit of the graded tree into our own store, so that its id is in the journal before it lands. */
  z.strictObject({ do: z.literal('commit'), attempt, tree: treeIdSchema, tip }),
  /** Move the branch from tip to commit, if it still is at tip. */
  z.strictObject({ do: z.literal('land'), attempt, commit: commitIdSchema, tip }),
  /** `accepted`: what a person let pass. */
  z.strictObject({
    do: z.literal('complete'),
    attempt,
    accepted: z.array(holdCauseSchema).min(1).optional(),
  }),
  /** `by`: a person rejected what was held. */
  z.strictObject({ do: z.literal('refute'), by: z.literal('person').optional() }),
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
