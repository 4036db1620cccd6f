import type { z } from 'zod'
import { statementSchema } from './attestation.ts'
import { batchSchema } from './batch.ts'
import { checkSetSchema, claimSchema } from './check-set.ts'
import { comparisonSchema } from './comparison.ts'
import { decisionSchema } from './decision.ts'
import { expectationSchema } from './expectation.ts'
import { fixtureSchema } from './fixture.ts'
import { gradeSchema } from './grade.ts'
import { journalLineSchema } from './journal.ts'
import { observationSchema } from './observation.ts'
import { policySchema } from './policy.ts'
import { sealSchema } from './seal.ts'
import { taskSchema } from './task.ts'

/** One of the formats. Its page is `specs/<name>.md`, its JSON Schema `specs/schema/<name>.schema.json`. */
export interface Format {
  readonly schema: z.ZodType
  /** `input`: written by people or an oracle, fields with a default may be left out. `output`: written by Assay, whole. */
  readonly io: 'input' | 'output'
  readonly title: string
  readonly description: string
  /** Where such a document stands. */
  readonly file: string
}

const formats = {
  task: {
    schema: taskSchema,
    io: 'input',
    title: 'Task',
    description: 'request + base + image + limits + policy, with the workers and the oracle',
    file: 'task.yaml of a task directory',
  },
  policy: {
    schema: policySchema,
    io: 'input',
    title: 'Policy',
    description: 'what is allowed and how often; an empty policy is the careful one',
    file: 'the field policy of task.yaml, or a YAML file of its own',
  },
  claim: {
    schema: claimSchema,
    io: 'input',
    title: 'Claim',
    description: 'one testable statement split out of the request, with the sentence it comes from',
    file: 'an element of claims in checks.json',
  },
  'check-set': {
    schema: checkSetSchema,
    io: 'input',
    title: 'Check set',
    description:
      'claims, checks, what cannot be settled, and trials. A check names scenario, command, or service with scenario, and expect or judge, on itself or on each of its cases',
    file: 'checks.json beside scenarios/, judges/ and trials/',
  },
  expectation: {
    schema: expectationSchema,
    io: 'input',
    title: 'Expectation',
    description:
      'what a row must show. Patterns are JSON with operators (an object whose only key begins with $), which this schema does not look into',
    file: 'the field expect of a check or a case in checks.json',
  },
  observation: {
    schema: observationSchema,
    io: 'output',
    title: 'Observation',
    description: 'what the product did in one run of one row, as typed data',
    file: 'part of a seal and of a grade',
  },
  seal: {
    schema: sealSchema,
    io: 'output',
    title: 'Seal',
    description: 'the digest of a check set, what it is a digest of, and what admission found',
    file: 'sealed/seal.json of a run',
  },
  grade: {
    schema: gradeSchema,
    io: 'output',
    title: 'Grade',
    description: 'the results of one sealed check set on one tree in one pinned image',
    file: 'blobs/sha256-… of a run',
  },
  comparison: {
    schema: comparisonSchema,
    io: 'output',
    title: 'Comparison',
    description: 'how verified outputs of a race behave on scenarios that none was graded with',
    file: 'blobs/sha256-… of a run',
  },
  decision: {
    schema: decisionSchema,
    io: 'output',
    title: 'Decision',
    description: 'what decide() answers for a state of a run',
    file: 'the field decision of a journal event of type decided',
  },
  journal: {
    schema: journalLineSchema,
    io: 'output',
    title: 'Journal event',
    description: 'one line of the append-only record that a run is rebuilt from',
    file: 'a line of journal.jsonl of a run',
  },
  attestation: {
    schema: statementSchema,
    io: 'output',
    title: 'Attestation',
    description: 'what Assay attests of a commit that it landed: an in-toto statement',
    file: 'the payload of the DSSE envelope in a git note of refs/notes/assay',
  },
  batch: {
    schema: batchSchema,
    io: 'output',
    title: 'Batch',
    description: 'what a batch of tasks began with, and which run is whose',
    file: 'batch.json of a batch',
  },
  fixture: {
    schema: fixtureSchema,
    io: 'output',
    title: 'Fixture',
    description: 'the head of a recorded run that can be replayed',
    file: 'fixture.json of a fixture',
  },
} as const satisfies Readonly<Record<string, Format>>

export type FormatName = keyof typeof formats

/** Every format by its name, in reading order. */
export const FORMATS: Readonly<Record<FormatName, Format>> = formats
export const FORMAT_NAMES = Object.keys(formats) as readonly FormatName[]

/** Version of all formats together; part of every schema's `$id`. */
export const FORMATS_VERSION = 1
