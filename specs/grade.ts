import { z } from 'zod'
import { roleSchema } from './check-set.ts'
import { digestSchema, treeIdSchema } from './digest.ts'
import { observationSchema } from './observation.ts'
import { variedSchema } from './surroundings.ts'

export const verdictSchema = z.enum(['verified', 'refuted', 'unverifiable'])
export type Verdict = z.infer<typeof verdictSchema>

/** One run of one row on the graded tree. */
export const rowRunSchema = z.strictObject({
  observation: observationSchema,
  pass: z.boolean(),
  /** Path, expected and observed, for people and authors; never for a worker. */
  mismatch: z.string().optional(),
  /** Its judge gave no answer about it, so it neither passed nor failed. */
  unanswered: z.literal(true).optional(),
  /** What of its surroundings was not plain; absent where all was. */
  surroundings: variedSchema.optional(),
})
export type RowRun = z.infer<typeof rowRunSchema>

export const rowResultSchema = z.strictObject({
  row: z.string(),
  check: z.string(),
  claim: z.string().optional(),
  role: roleSchema,
  /** `unstable`: passed in some runs and failed in others. `missing`: a run, or a judge's answer about one, is not there. */
  result: z.enum(['pass', 'fail', 'unstable', 'missing']),
  runs: z.array(rowRunSchema),
})
export type RowResult = z.infer<typeof rowResultSchema>

/** Something that makes `verified` impossible. */
export const findingSchema = z.strictObject({
  kind: z.enum([
    'canary-passed',
    'forged-frame',
    'missing-row',
    'duplicate-row',
    'unknown-row',
    'leftover-process',
    'leftover-files',
    'killed-wrapper',
    'shadowed-library',
  ]),
  row: z.string().optional(),
  detail: z.string(),
})
export type Finding = z.infer<typeof findingSchema>

export const claimResultSchema = z.strictObject({
  claim: z.string(),
  statement: z.string(),
  spec_ref: z.string(),
  verdict: verdictSchema,
  /** Rows that the verdict rests on: those that failed, or those that passed. */
  evidence: z.array(z.string()),
  /** What is missing, when unverifiable. */
  missing: z.string().optional(),
  gap: z.enum(['spec', 'fixture', 'observability']).optional(),
  strength: z.enum(['isolated', 'in_process']),
})
export type ClaimResult = z.infer<typeof claimResultSchema>

/** A path on which the tree that a suite ran on is not the graded tree. */
export const restoredPathSchema = z.strictObject({
  path: z.string(),
  /** `sealed`: a sealed file stands there. `tests`, `configuration`: protected, so it is as in base. */
  why: z.enum(['sealed', 'tests', 'configuration']),
})
export type RestoredPath = z.infer<typeof restoredPathSchema>

/** The results of one sealed check set on one tree in one pinned image. See `specs/grade.md`. */
export const gradeSchema = z.strictObject({
  version: z.literal(1),
  /** What the grade answers: hash(image, tree, seal, runner, limits). The same question is never run twice. */
  key: digestSchema,
  tree: treeIdSchema,
  seal: digestSchema,
  image: z.string(),
  runner: digestSchema,
  limits: digestSchema,
  verdict: verdictSchema,
  /** With a finding the run is held as tampered whatever the verdict says. */
  findings: z.array(findingSchema),
  claims: z.array(claimResultSchema),
  rows: z.array(rowResultSchema),
  /** Of suites: paths that the output changed and that stood otherwise where the tests ran. Absent when there are none. */
  restored: z.array(restoredPathSchema).optional(),
  /** Deciding rows of the split `feedback` that did not pass, and all of those: all that a worker may ever hear of. */
  failed: z.number().int().min(0),
  of: z.number().int().min(0),
})
export type Grade = z.infer<typeof gradeSchema>
