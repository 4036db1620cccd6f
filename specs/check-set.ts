import { z } from 'zod'
import { expectationSchema } from './expectation.ts'
import { jsonSchema } from './json.ts'
import { frameworkNameSchema, type FrameworkName } from './suite.ts'

/** What an oracle hands in: `checks.json` beside `scenarios/`, `judges/` and `trials/`. See `specs/check-set.md`. */

const idSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
  .describe('lower-case letters, digits, dots, hyphens, underscores; at most 64')

/** A path inside the check set: relative, forward slashes, no `..`, `.` or empty part. */
const pathIn = (folder: string) =>
  z
    .string()
    .max(200)
    .regex(new RegExp(`^${folder}(?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._-]+)+$`))
    .describe(`a path below ${folder}/`)

export const claimSchema = z
  .strictObject({
    id: idSchema,
    kind: z.enum(['change', 'keep']).describe('change: must become true; keep: must stay as on base'),
    statement: z.string().min(1).max(2000).describe('one statement that can be true or false on its own'),
    spec_ref: z
      .string()
      .min(1)
      .max(2000)
      .describe('the sentence of the request that it comes from, quoted word for word'),
  })
  .meta({ id: 'claim' })
export type Claim = z.infer<typeof claimSchema>

export const roleSchema = z.enum(['behaviour', 'guard', 'advisory', 'canary'])
export type Role = z.infer<typeof roleSchema>

export const splitSchema = z.enum(['feedback', 'landing'])
export type Split = z.infer<typeof splitSchema>

const inputSchema = jsonSchema()

/** A command line in the product box. `{tree}` and `{tmp}` stand for the two folders in argv, env and stdin. */
const commandSchema = z.strictObject({
  argv: z.array(z.string()).min(1).max(100),
  stdin: z.string().max(1_000_000).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).optional(),
  files: z
    .record(z.string(), z.string())
    .optional()
    .describe('text files laid into {tmp} first, by relative path'),
  cwd: z
    .enum(['tree', 'tmp'])
    .default('tmp')
    .describe('the folder it runs in; to write into tree the check must be writable'),
  observe: z
    .array(z.string())
    .max(50)
    .optional()
    .describe('paths below {tmp}, or {tree}/…, whose state afterwards belongs to the observation'),
})
export type CommandSpec = z.infer<typeof commandSchema>

/** A server of the product: started, waited for, then driven by a scenario in another process. */
const serviceSchema = z.strictObject({
  argv: z.array(z.string()).min(1).max(100),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).optional(),
  files: z.record(z.string(), z.string()).optional(),
  cwd: z.enum(['tree', 'tmp']).default('tmp'),
  ready: z
    .strictObject({
      port: z.number().int().min(1024).max(65535).describe('the TCP port on 127.0.0.1 that the server opens'),
      path: z.string().regex(/^\//, 'expected a path that begins with /').optional(),
      timeoutMs: z.number().int().min(100).max(60_000).default(10_000).describe('milliseconds'),
    })
    .describe('ready when the port takes a connection and, with path, answers it with a status below 500'),
})
export type ServiceSpec = z.infer<typeof serviceSchema>

/** Test files in the project's own framework, laid over the tree and run as one. See `specs/suite.md`. */
export const suiteSchema = z.strictObject({
  id: idSchema,
  framework: frameworkNameSchema,
  files: z
    .string()
    .max(200)
    .regex(/^suites\/[A-Za-z0-9_-][A-Za-z0-9._-]*$/)
    .describe('a folder suites/<name>: each file below it is laid over the tree at the same relative path'),
  timeoutMs: z
    .number()
    .int()
    .min(1000)
    .max(1_800_000)
    .default(120_000)
    .describe(
      'milliseconds for one run of the whole suite; running out of them is the observation "timeout"',
    ),
  others: z
    .enum(['refuse', 'ignore'])
    .default('refuse')
    .describe('what a test that ran and is listed in no row is: a finding, or nothing'),
})
export type Suite = z.infer<typeof suiteSchema>

const testSchema = z.string().min(1).max(1000).describe("the framework's own test id, relative to the tree")

const rowSchema = z.strictObject({
  id: idSchema,
  claim: idSchema.optional().describe("another claim than the check's"),
  /** Handed to the scenario as `input`; for a command, merged over it: `{argv, stdin, env, files, observe}`. */
  input: inputSchema.optional(),
  test: testSchema.optional(),
  expect: expectationSchema.optional(),
  judge: pathIn('judges').optional(),
})
export type CaseRow = z.infer<typeof rowSchema>

/** The default time of a check in milliseconds; one that allows itself more is slow by nature. */
export const USUAL_TIMEOUT_MS = 10_000

export const checkSchema = z
  .strictObject({
    id: idSchema,
    claim: idSchema.optional().describe('the claim it settles; absent for a canary only'),
    role: roleSchema,
    split: splitSchema
      .default('feedback')
      .describe(
        'feedback: its rows are in the "k of n" that a worker may hear; landing: they count for verdicts only',
      ),
    title: z.string().max(300).optional(),
    scenario: pathIn('scenarios')
      .optional()
      .describe('a node module (.mjs, .cjs, .js) or a Python file (.py)'),
    command: commandSchema.optional(),
    service: serviceSchema.optional(),
    suite: idSchema.optional().describe('the suite that its tests are in; then it expects nothing else'),
    test: testSchema.optional(),
    writable: z
      .boolean()
      .default(false)
      .describe('the product writes into its tree, so the check gets a copy of its own'),
    timeoutMs: z
      .number()
      .int()
      .min(50)
      .max(120_000)
      .default(USUAL_TIMEOUT_MS)
      .describe('milliseconds; running out of them is the observation "timeout"'),
    seed: z
      .number()
      .int()
      .min(0)
      .max(0xffffffff)
      .default(0)
      .describe('seed of random() in scenario and judge'),
    input: inputSchema.optional(),
    expect: expectationSchema.optional(),
    judge: pathIn('judges').optional(),
    cases: z
      .array(rowSchema)
      .min(1)
      .max(500)
      .optional()
      .describe(
        'rows of input and expectation over one scenario; each is admitted, run and reported on its own',
      ),
  })
  .describe(
    'one of scenario, command, service with scenario, or suite; expect, judge or (of a suite) test, on the check or on every case',
  )
export type Check = z.infer<typeof checkSchema>

const trialSchema = z.strictObject({
  id: idSchema,
  diff: pathIn('trials').describe('a diff against base, in git style'),
  expect: z.enum(['verified', 'refuted']).describe('whether the set ought to verify it'),
  why: z.string().max(1000).optional(),
})
export type Trial = z.infer<typeof trialSchema>

export const checkSetSchema = z.strictObject({
  version: z.literal(1),
  claims: z.array(claimSchema).min(1).max(200),
  checks: z.array(checkSchema).min(1).max(500),
  suites: z.array(suiteSchema).max(20).optional(),
  unverifiable: z
    .array(
      z.strictObject({
        claim: idSchema,
        missing: z.string().min(1).max(2000).describe('exactly what would settle it'),
        gap: z.enum(['spec', 'fixture', 'observability']),
      }),
    )
    .default([])
    .describe('claims that no check can settle'),
  trials: z.array(trialSchema).max(50).default([]),
})
export type CheckSetDocument = z.infer<typeof checkSetSchema>

/** A parsed check set and the bytes of its files, by path inside the set (`scenarios/a.mjs`). */
export interface CheckSet {
  readonly document: CheckSetDocument
  readonly files: ReadonlyMap<string, Uint8Array>
}

/**
 * One row to run: a check without cases, or one case of a check. Its id is `check` or `check#case`.
 * Holds no expectation: this, and the files it names, is all that a product box ever gets.
 */
export interface Probe {
  readonly row: string
  readonly check: string
  readonly mechanism: 'scenario' | 'command' | 'service' | 'suite'
  readonly scenario?: string
  readonly command?: CommandSpec
  readonly service?: ServiceSpec
  /** Rows of one suite share it: they are run together. */
  readonly suite?: SuiteRun
  /** Of a row of a suite. */
  readonly test?: string
  readonly writable: boolean
  readonly timeoutMs: number
  readonly seed: number
  readonly input?: unknown
  /** Of a scenario: its place among those of the set, from 0. Rows take turns in what one run cannot have at once. */
  readonly turn?: number
  /** Of a scenario: rows that may be called before this one in its process, or beside it. See `specs/siblings.ts`. */
  readonly siblings?: readonly Sibling[]
}

/** Another row over the same scenario, as far as a product may see it. */
export interface Sibling {
  readonly row: string
  readonly input?: unknown
}

/** A suite and all rows of the set that are in it, whether they are asked for or not. */
export interface SuiteRun {
  readonly id: string
  readonly framework: FrameworkName
  /** Its folder in the set. */
  readonly folder: string
  readonly timeoutMs: number
  readonly others: 'refuse' | 'ignore'
  readonly listed: readonly ListedTest[]
}

export interface ListedTest {
  readonly row: string
  readonly test: string
  readonly role: Role
}

/** How a row's observation is judged. Never enters a product box. */
export interface RowRule {
  readonly row: string
  readonly check: string
  readonly claim?: string
  readonly role: Role
  readonly split: Split
  readonly expect?: z.infer<typeof expectationSchema>
  readonly judge?: string
  readonly seed: number
  readonly input?: unknown
  /** The weaker of the two strengths: its expectation runs beside the product. */
  readonly strength?: 'in_process'
}
