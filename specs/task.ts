import { z } from 'zod'
import { policySchema } from './policy.ts'

/** `task.yaml`. Paths are relative to the task's directory. See `specs/task.md`. */
const relativePath = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (path) => !path.startsWith('/') && !path.split('/').includes('..'),
    'a path below the task directory',
  )
const integritySchema = z
  .string()
  .regex(/^sha(256|384|512)-[A-Za-z0-9+/]+=*$/)
  .describe('a subresource integrity, e.g. sha512-…')

export const baseSchema = z.discriminatedUnion('from', [
  z.strictObject({
    from: z.literal('npm'),
    package: z.string().regex(/^(@[a-z0-9._-]+\/)?[a-z0-9._-]+$/i),
    version: z
      .string()
      .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/)
      .describe('an exact version'),
    integrity: integritySchema,
  }),
  z.strictObject({
    from: z.literal('git'),
    /** A path (relative to the task) or an address that git can fetch. */
    repository: z.string().min(1),
    /** A commit id, a tag or a branch; what it meant is recorded in the run. */
    revision: z.string().min(1).regex(/^[^-]/),
    /** A folder of the repository. */
    subdirectory: relativePath.optional(),
  }),
  z.strictObject({ from: z.literal('directory'), path: z.string().min(1) }),
  z.strictObject({
    from: z.literal('tar'),
    path: z.string().min(1),
    integrity: integritySchema.optional(),
    /** Leading folders to drop from every path. */
    strip: z.number().int().min(0).max(10).default(0),
  }),
  /** A path inside the task's own image, e.g. /app. */
  z.strictObject({ from: z.literal('image'), path: z.string().startsWith('/') }),
])
export type BaseSource = z.infer<typeof baseSchema>

export const imageSchema = z.union([
  /** One of ours. */
  z.enum(['node', 'python']),
  /** By digest: name@sha256:… */
  z.strictObject({ reference: z.string().regex(/@sha256:[0-9a-f]{64}$/) }),
  /** Built once from this folder, then pinned. */
  z.strictObject({ dockerfile: relativePath }),
])
export type TaskImage = z.infer<typeof imageSchema>

const commandSchema = z.strictObject({
  kind: z.literal('command'),
  argv: z.array(z.string()).min(1),
  /** A folder of the task laid into the box at /assay/program. */
  program: relativePath.optional(),
  env: z.record(z.string(), z.string()).optional(),
  label: z.string().max(80).optional(),
})

export const workerSchema = z.discriminatedUnion('kind', [
  commandSchema,
  z.strictObject({ kind: z.literal('patch'), file: relativePath, label: z.string().max(80).optional() }),
])
export type WorkerSpec = z.infer<typeof workerSchema>

export const oracleSchema = z.discriminatedUnion('kind', [
  commandSchema,
  z.strictObject({ kind: z.literal('files'), directory: relativePath }),
])
export type OracleSpec = z.infer<typeof oracleSchema>

export const boxLimitsSchema = z.strictObject({
  memoryMb: z.number().int().min(32).max(65536).optional(),
  cpus: z.number().min(0.1).max(64).optional(),
  processes: z.number().int().min(8).max(4096).optional(),
  fileSizeMb: z.number().int().min(1).max(65536).optional(),
  openFiles: z.number().int().min(32).max(65536).optional(),
  tmpMb: z.number().int().min(1).max(8192).optional(),
  diskMb: z.number().int().min(1).max(65536).optional(),
  outputMb: z.number().int().min(1).max(1024).optional(),
})

export const taskSchema = z.strictObject({
  version: z.literal(1),
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
    .describe('lower-case letters, digits and hyphens'),
  title: z.string().max(200).optional(),
  request: relativePath.default('request.md'),
  base: baseSchema,
  image: imageSchema,
  /** Where the tree stands in a box. */
  workdir: z.string().startsWith('/').default('/box/tree'),
  /** Whether base's manifest and lockfile are installed into the image when it is built. */
  dependencies: z.enum(['install', 'none']).default('install'),
  /** Attempts, in order of their numbers. */
  workers: z.array(workerSchema).max(64).default([]),
  oracle: oracleSchema,
  /** Limits of product boxes and of worker and oracle boxes, where they differ from the defaults. */
  limits: z
    .strictObject({ product: boxLimitsSchema.optional(), worker: boxLimitsSchema.optional() })
    .default({}),
  policy: policySchema.prefault({}),
  /** Where the data comes from, in words: "made by hand", "published on npm by others", … */
  provenance: z.string().max(1000).optional(),
})
export type Task = z.infer<typeof taskSchema>
