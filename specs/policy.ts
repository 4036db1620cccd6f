import { z } from 'zod'

/** What `landingAnswers` means when it is absent. */
export const DEFAULT_LANDING_ANSWERS = 3
/** What `landingTries` means when it is absent. */
export const DEFAULT_LANDING_TRIES = 10

/** What `protectedPaths` means when it is absent: what runs on its own where it lands, or says who must agree. */
export const DEFAULT_PROTECTED_PATHS: readonly string[] = [
  '.github/**',
  '.gitlab-ci.yml',
  '.gitlab/**',
  '.gitea/**',
  '.forgejo/**',
  '.circleci/**',
  '.buildkite/**',
  '.woodpecker/**',
  '.woodpecker.yml',
  '.travis.yml',
  '.drone.yml',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  '**/Jenkinsfile',
  '**/CODEOWNERS',
  '**/.gitmodules',
  '.husky/**',
  '.pre-commit-config.yaml',
]

/** What is allowed and how often. Every field has a default: an empty policy is the careful one. See `specs/policy.md`. */
export const policySchema = z
  .strictObject({
    race: z
      .enum(['first', 'best', 'all'])
      .default('first')
      .describe(
        'first: the first verified output ends the run; best: every attempt goes to its end, verified outputs are compared on fresh scenarios, and the smallest diff wins; all: every attempt goes to its end, then the lowest number wins',
      ),
    attempts: z
      .number()
      .int()
      .min(1)
      .max(64)
      .optional()
      .describe("how many attempts a run has; the task's workers take turns. Absent: one of each worker"),
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
    attemptTimeoutMs: z
      .number()
      .int()
      .min(1000)
      .max(604_800_000)
      .optional()
      .describe(
        'milliseconds of wall time that one attempt may take, all of its rounds together; absent: as its rounds add up',
      ),
    landingTries: z
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(
        `how often a landing may begin anew since its branch moved, the first time included; absent: ${DEFAULT_LANDING_TRIES}`,
      ),
    protectedPaths: z
      .array(z.string().min(1).max(500))
      .max(500)
      .optional()
      .describe(
        'patterns of paths that nothing unattended may change where it lands; absent: what runs on its own there, such as workflows of CI',
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

/**
 * Who is told of a run that is held. Only in a policy file that the user gives, never in a task: a task may be a
 * stranger's, and this starts a program on the host. It is no rule of the run and stands in no journal.
 */
export const notifySchema = z
  .strictObject({
    command: z
      .tuple([z.string().min(1)], z.string())
      .optional()
      .describe('program and arguments; no shell reads them; its stdin is the hold, as JSON'),
    webhook: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('an http or https address that the hold is posted to, as JSON'),
  })
  .meta({ id: 'notify' })
export type Notify = z.infer<typeof notifySchema>

/** A policy file, as `--policy FILE` takes it. */
export const policyFileSchema = policySchema
  .extend({ notify: notifySchema.optional() })
  .meta({ id: 'policy-file' })
