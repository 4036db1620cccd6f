import { z } from 'zod'

/** What is allowed and how often. Every field has a default: an empty policy is the careful one. See `specs/policy.md`. */
export const policySchema = z.strictObject({
  /** `first`: the first verified output ends the run. `all`: every attempt goes to its end, then the lowest number wins. */
  race: z.enum(['first', 'all']).default('first'),
  /** Rounds of one attempt, the first included. */
  rounds: z.number().int().min(1).max(20).default(3),
  /** Bits of feedback per task, over all attempts: each `k of n` costs log2(n + 1). */
  feedbackBits: z.number().min(0).max(1000).default(32),
  /** Feedback is given only at whole multiples of this after the output was delivered. */
  feedbackQuantumMs: z.number().int().min(0).max(3_600_000).default(10_000),
  /** How often the oracle may hand in a set, the first time included. */
  oracleTries: z.number().int().min(1).max(10).default(2),
  /** Runs of every row on base at admission. */
  admissionRuns: z.number().int().min(2).max(10).default(3),
  /** Runs of every row on an output. */
  repeats: z.number().int().min(1).max(10).default(2),
  /** How often an infrastructure failure is retried before the run is held. */
  infraRetries: z.number().int().min(0).max(5).default(2),
  /** A task can demand evidence of this strength for every claim. */
  strength: z.enum(['isolated', 'in_process']).default('isolated'),
  /**
   * An output that changes what would be installed (manifest or lockfile): `hold`, or `allow-installed`: go on when
   * the image already has every runtime dependency that the output asks for, at a version that satisfies it.
   */
  dependencyChanges: z.enum(['hold', 'allow-installed']).default('hold'),
  /** Verified without a valid guard is held instead of completed. */
  requireGuard: z.boolean().default(false),
  /** Wall time of a worker's round and of an oracle's try. */
  workerTimeoutMs: z.number().int().min(1000).max(86_400_000).default(1_800_000),
  oracleTimeoutMs: z.number().int().min(1000).max(86_400_000).default(1_800_000),
})
export type Policy = z.infer<typeof policySchema>
