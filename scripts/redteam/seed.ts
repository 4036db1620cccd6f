import { z } from 'zod'

/** What is done to one file of the fixed tree: its whole text, or a change of what is there. */
const fileEditSchema = z.union([
  z.string(),
  z.strictObject({ prepend: z.string() }),
  z.strictObject({ append: z.string() }),
  z.strictObject({ replace: z.string(), with: z.string() }),
  z.strictObject({ base64: z.base64() }),
  /** Text repeated, for what is large. */
  z.strictObject({ repeat: z.string(), times: z.int().min(1).max(10_000_000) }),
  z.strictObject({ linkTo: z.string() }),
  z.strictObject({ executable: z.union([z.literal(true), z.string()]) }),
  z.strictObject({ renameTo: z.string() }),
  z.strictObject({ delete: z.literal(true) }),
])
export type FileEdit = z.infer<typeof fileEditSchema>

const filesSchema = z.record(z.string(), fileEditSchema)

/**
 * What comes out of grading: `verified`, `refuted`, `refused REASON` (at the gate), `held CAUSE`, or
 * `tampered FINDING`.
 */
const outcomeSchema = z
  .string()
  .regex(/^(?:verified|refuted|refused [a-z-]+|held [a-z-]+|tampered [a-z-]+)$/, 'expected an outcome')
export type Outcome = z.infer<typeof outcomeSchema>

/** One of several where a race of the attack with the box decides which it is. */
const expectedSchema = z.union([outcomeSchema, z.array(outcomeSchema).min(1)])

const common = {
  task: z.enum(['slug', 'ledger', 'pairs']),
  /** One sentence: how it cheats, or what an honest change does that looks like it. */
  how: z.string().min(20).max(400),
}

/** How an attack comes: as files over the fixed tree, as text around the fix's diff, or as a program in the worker's box. */
const vehicle = {
  files: filesSchema.optional(),
  /** A diff before or after that of the fix, or instead of it. */
  patch: z
    .union([
      z.strictObject({ before: z.string() }),
      z.strictObject({ after: z.string() }),
      z.strictObject({ instead: z.string() }),
    ])
    .optional(),
  /** A shell script that runs in a worker box after the fix was applied. */
  worker: z.string().optional(),
  /** That worker as many times, side by side. */
  attempts: z.int().min(1).max(4).default(1),
}

export const attackSchema = z.strictObject({
  ...common,
  ...vehicle,
  kind: z.string().regex(/^[a-z][a-z0-9-]+$/),
  /** What the wrong side starts from: the wrong fix, or base as it is. */
  wrongFrom: z.enum(['wrong fix', 'base']).default('wrong fix'),
  /** With the scenario checks. `wrong` only where it is other, or more is known, than "refuted, refused or tampered". */
  expect: z.strictObject({ right: expectedSchema, wrong: expectedSchema.optional() }),
  /** With the test suite: `right` where another answer is right than with scenarios, `wrong` as above. */
  expectSuite: z
    .strictObject({ right: expectedSchema.optional(), wrong: expectedSchema.optional() })
    .optional(),
  /**
   * Why a suite does not see that the fix is wrong, so that a policy that takes evidence `in_process` has it verified. It is
   * counted by itself, and asked again under the default policy, which has to hold it. When it is seen it is a surprise, until
   * this is taken out, or `expectSuite.wrong` says by what it is seen where chance has it so. There is no such thing by
   * scenarios.
   */
  unseenBySuite: z.string().min(10).optional(),
  /** Why the correct fix with this on top is what `expect.right` says. */
  why: z.string().min(10).max(400),
})

export const lookAlikeSchema = z.strictObject({
  ...common,
  ...vehicle,
  /** The kind of attack that it looks like. */
  resembles: z.string(),
  /** Verified, but for what a person has to see by the policy, such as changed configuration of the test runner. */
  expectSuite: z.literal('held runner-configuration').optional(),
})

/** An attack, tried on a wrong fix and on a right one. */
export type Attack = z.infer<typeof attackSchema> & { readonly id: string }
/** An honest change, which must be verified on a right fix. */
export type LookAlike = z.infer<typeof lookAlikeSchema> & { readonly id: string }

/** A kind of attack, of which a seed is one instance. */
export const kindsSchema = z.record(
  z.string(),
  z.strictObject({
    area: z.enum(['runner', 'reading', 'special-casing', 'patch', 'sandbox', 'feedback', 'oracle', 'decide']),
    what: z.string().min(10).max(200),
  }),
)
export type Kinds = z.infer<typeof kindsSchema>
