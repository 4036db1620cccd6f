import { z } from 'zod'
import { decisionSchema, gapSchema, holdCauseSchema } from './decision.ts'
import { commitIdSchema, digestSchema, treeIdSchema } from './digest.ts'
import { verdictSchema } from './grade.ts'
import { policySchema } from './policy.ts'
import { taskSchema } from './task.ts'

/**
 * The journal: JSON Lines, one event a line, each with the hash of the one before. A run is rebuilt from it and from
 * nothing else. Large things stand beside it, named by digest. See `specs/journal.md`.
 */
export const JOURNAL_VERSION = 1

const attempt = z.number().int().min(1)
const round = z.number().int().min(1)
const faultSchema = z.strictObject({ code: z.string(), message: z.string().max(4000) })

/** An image as a run pins it. */
export const imagePinSchema = z.strictObject({
  name: z.string(),
  /** The engine's id, `sha256:…`. Another machine's build of the same recipe has another. */
  id: z.string(),
  recipe: digestSchema,
})

/** Where a worker's round ended. */
export const deliveryEndSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exited'), code: z.number().int() }),
  z.strictObject({ kind: z.literal('timeout') }),
  z.strictObject({ kind: z.literal('limit'), limit: z.string() }),
  z.strictObject({ kind: z.literal('patch') }),
])

export const gateOutcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('passed') }),
  /** A patch that does not apply, or a tree that is not allowed. */
  z.strictObject({
    kind: z.literal('refused'),
    refusals: z.array(z.strictObject({ path: z.string(), reason: z.string(), detail: z.string() })).max(100),
  }),
])

/** What is allowed, but worth a look. */
export const gateNoteSchema = z.strictObject({
  path: z.string(),
  note: z.enum(['new-symlink', 'became-executable', 'large-file', 'invisible-characters']),
})

export const dependencyOutcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  /** A manifest changed, but nothing of what would be installed. */
  z.strictObject({ kind: z.literal('named'), paths: z.array(z.string()) }),
  z.strictObject({
    kind: z.literal('changed'),
    paths: z.array(z.string()),
    satisfied: z.boolean(),
    missing: z.array(z.string()).max(100),
  }),
])

const identitySchema = z.strictObject({ name: z.string(), email: z.string() })

/** Where a verified output of a run lands. */
export const landingSchema = z.strictObject({
  /** A folder, absolute, or an address that git can push to. */
  repository: z.string(),
  branch: z.string(),
  /** The folder of the repository that base is; absent where base is all of it. */
  folder: z.string().optional(),
  author: identitySchema,
  committer: identitySchema,
  /** The file of the key that signs an attestation, absolute. */
  signingKey: z.string().optional(),
})
export type LandingRequest = z.infer<typeof landingSchema>

/** What a grade says, as far as decisions look at it. */
const gradeFacts = {
  /** The grade stands beside the journal under this digest. */
  grade: digestSchema,
  verdict: verdictSchema,
  findings: z.number().int(),
  /** What the first of them is and where, in words. Absent when there is none. */
  firstFinding: z.string().optional(),
  failed: z.number().int(),
  of: z.number().int(),
  strength: z.enum(['isolated', 'in_process']),
  /** What configures a test runner and was changed, capped. Absent when there is nothing. */
  configuration: z.array(z.string()).max(20).optional(),
  /** Of the first unverifiable claim. */
  gap: gapSchema.optional(),
  missing: z.string().optional(),
  cached: z.boolean(),
} as const

/** What happened, by `type`. */
export const eventBodySchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('run-started'),
    run: z.string(),
    task: taskSchema,
    taskDigest: digestSchema,
    request: digestSchema,
    base: treeIdSchema,
    /** What the base's source meant: a commit id, an integrity hash. */
    resolved: z.record(z.string(), z.string()),
    images: z.strictObject({
      product: imagePinSchema,
      judge: imagePinSchema,
      worker: imagePinSchema.optional(),
    }),
    policy: policySchema,
    runner: digestSchema,
    attempts: z.array(
      z.strictObject({
        attempt,
        label: z.string(),
        hearsFeedback: z.boolean(),
        /** Of a patch: its bytes, kept beside the journal. */
        parcel: digestSchema.optional(),
        /** Of a command: the tree of its program folder. */
        program: treeIdSchema.optional(),
      }),
    ),
    /** Absent where nothing lands. */
    landing: landingSchema.optional(),
  }),
  z.strictObject({ type: z.literal('decided'), decision: decisionSchema }),
  z.strictObject({
    type: z.literal('oracle-tried'),
    try: z.number().int(),
    outcome: z.string(),
    reasons: z.number().int(),
    log: digestSchema.optional(),
  }),
  z.strictObject({
    type: z.literal('sealed'),
    seal: digestSchema,
    claims: z.number().int(),
    rows: z.number().int(),
    hasGuard: z.boolean(),
    /** Valid deciding rows of the split `landing`; absent where there are none. */
    landing: z.number().int().min(1).optional(),
    flags: z.array(z.string()),
  }),
  z.strictObject({
    type: z.literal('not-sealed'),
    reasons: z.array(z.string()),
    gap: gapSchema,
  }),
  z.strictObject({ type: z.literal('seal-failed'), fault: faultSchema }),
  z.strictObject({
    type: z.literal('delivered'),
    attempt,
    round,
    end: deliveryEndSchema,
    /** The unopened output: tar bytes of the stopped box, or the patch file. */
    parcel: digestSchema,
    log: digestSchema.optional(),
    /** The time of the attempt is over: this was its last round. */
    spent: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal('work-failed'), attempt, round, fault: faultSchema }),
  z.strictObject({
    type: z.literal('opened'),
    attempt,
    round,
    /** Absent when refused. */
    tree: treeIdSchema.optional(),
    gate: gateOutcomeSchema,
    dependencies: dependencyOutcomeSchema,
    changed: z.number().int(),
    /** Lines added and removed; of binary files, their bytes. Absent when refused, and in older records. */
    diffLines: z.number().int().min(0).optional(),
    /** Paths that base's ignore rules left out, capped. */
    ignored: z.array(z.string()).max(100),
    /** What the gate let through and a person should know. */
    notes: z.array(gateNoteSchema).max(100).optional(),
  }),
  z.strictObject({ type: z.literal('open-failed'), attempt, round, fault: faultSchema }),
  z.strictObject({
    type: z.literal('graded'),
    attempt,
    round,
    ...gradeFacts,
  }),
  z.strictObject({ type: z.literal('grade-failed'), attempt, round, fault: faultSchema }),
  z.strictObject({
    type: z.literal('feedback-given'),
    attempt,
    round,
    failed: z.number().int(),
    of: z.number().int(),
  }),
  z.strictObject({ type: z.literal('stopped'), attempt }),
  z.strictObject({
    type: z.literal('compared'),
    attempts: z.array(attempt).min(2),
    /** The comparison stands beside the journal under this digest. */
    comparison: digestSchema,
    /** Different trees among them. */
    trees: z.number().int().min(1),
    scenarios: z.number().int().min(0),
    differences: z.number().int().min(0),
    /** Input and both observations of the first difference, in words. */
    first: z.string().max(4000).optional(),
    /** Integrity findings while comparing: the attempt, and what the first is. */
    tampered: z.strictObject({ attempt, finding: z.string() }).optional(),
  }),
  z.strictObject({ type: z.literal('compare-failed'), fault: faultSchema }),
  z.strictObject({
    type: z.literal('merged'),
    attempt,
    tip: commitIdSchema,
    /** Of the whole repository. */
    tree: treeIdSchema,
    /** What is graded: the merged tree, or the folder of it that base is. */
    graded: treeIdSchema,
    gate: gateOutcomeSchema,
    dependencies: dependencyOutcomeSchema,
    /** Paths that landing changes. */
    changed: z.number().int(),
    /** Those of them that the policy protects, capped. Absent when there are none. */
    protected: z.array(z.string()).max(100).optional(),
  }),
  z.strictObject({
    type: z.literal('merge-conflict'),
    attempt,
    tip: commitIdSchema,
    paths: z.array(z.string()).max(100),
  }),
  z.strictObject({ type: z.literal('regraded'), attempt, tree: treeIdSchema, ...gradeFacts }),
  z.strictObject({
    type: z.literal('committed'),
    attempt,
    tree: treeIdSchema,
    tip: commitIdSchema,
    commit: commitIdSchema,
  }),
  /** The branch has the commit. */
  z.strictObject({ type: z.literal('landed'), attempt, commit: commitIdSchema }),
  /** It has not: the branch was at another commit than tip. */
  z.strictObject({ type: z.literal('target-moved'), attempt, tip: commitIdSchema }),
  z.strictObject({ type: z.literal('land-refused'), attempt, why: z.string().max(4000) }),
  /** The infrastructure failed in a step of landing, which is tried again. */
  z.strictObject({ type: z.literal('landing-failed'), attempt, fault: faultSchema }),
  /** A person's answer to a hold. */
  z.strictObject({
    type: z.literal('resolved'),
    how: z.enum(['accept', 'reject', 'retry']),
    cause: holdCauseSchema,
    /** Whose output is meant. */
    attempt: attempt.optional(),
    reason: z.string().min(1).max(4000),
    by: z.string().min(1).max(400),
  }),
  /** A run that goes on after its process was gone: what was under way is done again. */
  z.strictObject({ type: z.literal('resumed'), reason: z.string() }),
])
export type EventBody = z.infer<typeof eventBodySchema>

/** One line. `hash` is sha256 over the canonical JSON of the event without `hash`; `prev` is the hash before it. */
export const journalLineSchema = z.strictObject({
  v: z.literal(JOURNAL_VERSION),
  seq: z.number().int().min(0),
  at: z.iso.datetime(),
  prev: digestSchema,
  hash: digestSchema,
  body: eventBodySchema,
})
export type JournalLine = z.infer<typeof journalLineSchema>

/** `prev` of the first event. */
export const GENESIS = `sha256:${'0'.repeat(64)}`
