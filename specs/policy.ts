import { z } from 'zod'

/** What `landingAnswers` means when it is absent. */
export const DEFAULT_LANDING_ANSWERS = 3

/** What is allowed and how often. Every field has a default: an empty policy is the careful one. See `specs/policy.md`. */
export const policySchema = z
  .strictObject({
    race: z
      .enum(['first', 'all'])
      .default('first')
      .describe(
        'first: the first verified output ends the run; all: every attempt goes to its end, then the lowest number wins',
      ),
    rounds: z.number().int().min(1).max(20).default(3).describe('rounds of one attempt, the first included'),
    feedbackBits: z
      .number()
      .min(0)
      .max(1000)
      .default(32)
      .describe('bits of feedback per task, over all attempts; each "k of n" costs log2(n + 1)'),
    landingAnswers: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        `how often the landing checks of a run may answer, yes or no, over all attempts; absent: ${DEFAULT_LANDING_ANSWERS}`,
      ),
    feedbackQuantumMs: z
      .number()
      .int()
      .min(0)
      .max(3_600_000)
      .default(10_000)
      .describe(
        'milliseconds; feedback is given only at whole multiples of this after the output was delivered',
      ),
    oracleTries: z
      .number()
      .int()
      .min(1)
      .max(10)
      .default(2)
      .describe('how often the oracle may hand in a check set, the first time included'),
    admissionRuns: z
      .number()
      .int()
      .min(2)
      .max(10)
      .default(3)
      .describe('runs of every row on base at admission; as many as repeats where that is more'),
    trialRuns: z
      .number()
      .int()
      .min(0)
      .max(10)
      .default(1)
      .describe(
        "runs of every row on each of the author's trials; as many as repeats where that is more, but one of a wrong trial that the first refutes; 0: trials are not run, and the seal has a flag that says so",
      ),
    repeats: z.number().int().min(1).max(10).default(2).describe('runs of every row on an output'),
    infraRetries: z
      .number()
      .int()
      .min(0)
      .max(5)
      .default(2)
      .describe('how often a step that failed by the infrastructure is tried again before the run is held'),
    strength: z
      .enum(['isolated', 'in_process'])
      .default('isolated')
      .describe('the weakest evidence that a verified output may rest on'),
    dependencyChanges: z
      .enum(['hold', 'allow-installed'])
      .default('hold')
      .describe(
        'an output that changes what would be installed: hold it, or go on when the image already has every runtime dependency that it asks for, at a version that satisfies it',
      ),
    // No default of its own: a journal from before it has to keep its hash.
    runnerConfigChanges: z
      .enum(['hold', 'allow'])
      .optional()
      .describe(
        'an output, verified with suites, that changes what configures a test runner: hold it (also when absent), or go on',
      ),
    requireGuard: z
      .boolean()
      .default(false)
      .describe('hold a verified output when the set had no valid guard'),
    workerTimeoutMs: z
      .number()
      .int()
      .min(1000)
      .max(86_400_000)
      .default(1_800_000)
      .describe('milliseconds of wall time that one round of a worker may take'),
    oracleTimeoutMs: z
      .number()
      .int()
      .min(1000)
      .max(86_400_000)
      .default(1_800_000)
      .describe('milliseconds of wall time that one try of the oracle may take'),
  })
  .meta({ id: 'policy' })
export type Policy = z.infer<typeof policySchema>
