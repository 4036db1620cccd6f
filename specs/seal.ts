import { z } from 'zod'
import { claimSchema, roleSchema, splitSchema } from './check-set.ts'
import { digestSchema, treeIdSchema } from './digest.ts'
import { observationSchema } from './observation.ts'
import { pinnedSchema } from './surroundings.ts'

/** What admission found about one row. */
export const rowAdmissionSchema = z.strictObject({
  row: z.string(),
  check: z.string(),
  claim: z.string().optional(),
  role: roleSchema,
  /** Whether it counts in what a worker hears, or for verdicts only. */
  split: splitSchema,
  state: z.enum(['valid', 'void']),
  /** Why it is void; named reasons are listed in `specs/seal.md`. */
  reason: z.string().optional(),
  /** What a person should read to mend it. Never shown to a worker. */
  detail: z.string().optional(),
  /** A trivial product (null, true, 0, "", [], {}, an error …) passes it; of a guard: every one of them does. */
  guessable: z.boolean(),
  /** Fails on base only because something is missing there. */
  missingOnBase: z.boolean(),
  /** What it depends on by nature, as base or a right trial showed: its runs keep these plain. */
  pinned: pinnedSchema.optional(),
  /** Of a row of a suite: its expectation runs beside the product. */
  strength: z.literal('in_process').optional(),
})
export type RowAdmission = z.infer<typeof rowAdmissionSchema>

export const trialResultSchema = z.strictObject({
  id: z.string(),
  expect: z.enum(['verified', 'refuted']),
  got: z.enum(['verified', 'refuted', 'unverifiable', 'does-not-apply', 'not-run']),
  /** Rows that failed on it. */
  failed: z.array(z.string()),
})
export type TrialResult = z.infer<typeof trialResultSchema>

/** A claim that the set cannot settle, and the exact thing that is missing. */
export const unsettledClaimSchema = z.strictObject({
  claim: z.string(),
  missing: z.string(),
  gap: z.enum(['spec', 'fixture', 'observability']),
})
export type UnsettledClaim = z.infer<typeof unsettledClaimSchema>

/** The verdict of admission over a whole set. */
export const admissionSchema = z.strictObject({
  admitted: z.boolean(),
  /** Reasons for the author, as sentences that name the check and the place. Empty when admitted. */
  reasons: z.array(z.string()),
  /** Flags that do not refuse the set: "no valid guard", … */
  flags: z.array(z.string()),
  rows: z.array(rowAdmissionSchema),
  trials: z.array(trialResultSchema),
  /** Claims that its author listed as unverifiable, and those whose rows admission dropped or could guess. */
  unverifiable: z.array(unsettledClaimSchema),
})
export type Admission = z.infer<typeof admissionSchema>

/**
 * Canaries that turned out at admission to say nothing, and are not planted: by path of a suite's file in the set, which of
 * the file's models they would be copies of (see `specs/suite.md`), or all of them.
 */
export const spoiledCanariesSchema = z.record(
  z.string(),
  z.union([z.literal('all'), z.array(z.number().int().min(0))]),
)
export type SpoiledCanaries = Readonly<Record<string, 'all' | readonly number[]>>

/** What is sealed. The seal is sha256 over its canonical JSON (RFC 8785). */
export const manifestSchema = z.strictObject({
  version: z.literal(1),
  /** sha256 of the request's bytes. */
  request: digestSchema,
  base: treeIdSchema,
  /** Image id the set was admitted in. */
  image: z.string(),
  /** Digest of the code that ran and judged it. */
  runner: digestSchema,
  /** sha256 of every file of the set, by path; checks.json is among them. */
  files: z.record(z.string(), digestSchema),
  claims: z.array(claimSchema),
  rows: z.array(rowAdmissionSchema),
  /** What base showed for each row at admission: the meaning of `asBase`, and of "a limit hit on base too". */
  baseObservations: z.record(z.string(), observationSchema),
  author: z.string(),
  nonceSeed: z.string().regex(/^[0-9a-f]{64}$/),
  spoiledCanaries: spoiledCanariesSchema.optional(),
})
export type SealManifest = z.infer<typeof manifestSchema>

export const sealSchema = z.strictObject({
  seal: digestSchema,
  manifest: manifestSchema,
  admission: admissionSchema,
})
export type Seal = z.infer<typeof sealSchema>
