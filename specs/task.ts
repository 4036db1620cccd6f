import { z } from 'zod'
import { policySchema } from './policy.ts'

/** `task.yaml`. Paths are relative to the task's directory. See `specs/task.md`. */
const relativePath = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!(?:[\s\S]*\/)?\.\.(?:\/|$))/, 'a path below the task directory')
  .describe('a path below the task directory: relative, without ..')
const integritySchema = z
  .string()
  .regex(/^sha(256|384|512)-[A-Za-z0-9+/]+=*$/, 'expected a subresource integrity, e.g. sha512-…')
  .describe('a subresource integrity, e.g. sha512-…')
const noNul = z
  .string()
  .regex(/^[^\0]*$/, 'expected no NUL')
  .describe('no NUL')
const program = z
  .string()
  .regex(/^[^\0]+$/, 'expected the name of a program')
  .describe('the program')

/**
 * Where a tree may stand: a plain absolute path whose mount hides nothing that a box needs. Refused are the root, the
 * folders of the system and of Assay, and those that hold programs or installed dependencies.
 */
const WORKDIR = new RegExp(
  [
    '^',
    '(?!/(?:assay|bin|boot|dev|etc|lib[^/]*|proc|run|sbin|sys|tmp)(?:/|$))',
    '(?!/usr/(?!src/.))',
    '(?!/var/(?:cache|lib|lock|log|run|spool|tmp)(?:/|$))',
    '(?!/(?:box|home|opt|root|usr|var)$)',
    '(?!/box/(?:node_modules|site-packages)(?:/|$))',
    '(?:/(?!\\.{1,2}(?:/|$))[^/:,\\u0000-\\u001f]+)+$',
  ].join(''),
)

/** An absolute path in a box or an image. */
const absolutePath = z.string().regex(/^\//, 'expected a path that begins with /')

export const baseSchema = z
  .discriminatedUnion('from', [
    z.strictObject({
      from: z.literal('npm'),
      package: z
        .string()
        .regex(/^(@[A-Za-z0-9._-]+\/)?[A-Za-z0-9._-]+$/, 'expected the name of an npm package')
        .describe('the name of an npm package'),
      version: z
        .string()
        .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/, 'expected an exact version, e.g. 1.2.3')
        .describe('an exact version'),
      integrity: integritySchema,
    }),
    z.strictObject({
      from: z.literal('git'),
      repository: z
        .string()
        .min(1)
        .describe('a path (relative to the task directory) or an address that git can fetch'),
      revision: z
        .string()
        .min(1)
        .regex(/^[^-]/, 'expected a revision, which does not begin with -')
        .describe('a commit id, a tag or a branch; what it meant is recorded in the run'),
      subdirectory: relativePath.optional().describe('the folder of the repository that is the base'),
    }),
    z.strictObject({
      from: z.literal('directory'),
      path: z.string().min(1).describe('a folder, relative to the task directory or absolute'),
    }),
    z.strictObject({
      from: z.literal('tar'),
      path: z
        .string()
        .min(1)
        .describe('a tar file, gzipped or not, relative to the task directory or absolute'),
      integrity: integritySchema.optional(),
      strip: z
        .number()
        .int()
        .min(0)
        .max(10)
        .default(0)
        .describe('how many leading folders are dropped from every path'),
    }),
    z.strictObject({
      from: z.literal('image'),
      path: absolutePath.describe("a path inside the task's own image, e.g. /app"),
    }),
  ])
  .meta({ id: 'base' })
export type BaseSource = z.infer<typeof baseSchema>

export const imageSchema = z.union(
  [
    z.enum(['node', 'python', 'go']).describe('one of the images that Assay builds'),
    z.strictObject({
      reference: z
        .string()
        .regex(/@sha256:[0-9a-f]{64}$/, 'expected a digest, name@sha256:…')
        .describe('an image by digest: name@sha256:…'),
    }),
    z.strictObject({
      dockerfile: relativePath.describe(
        'the folder (relative to the task directory) that holds a Dockerfile: built once, then pinned',
      ),
    }),
  ],
  { error: 'expected node, python, go, {reference: …} or {dockerfile: …}' },
)
export type TaskImage = z.infer<typeof imageSchema>

const commandSchema = z.strictObject({
  kind: z.literal('command'),
  argv: z.tuple([program], noNul).describe('program and arguments; no shell reads them; it runs in the tree'),
  program: relativePath.optional().describe('a folder of the task, laid into the box at /assay/program'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected letters, digits and underscores'), noNul)
    .optional()
    .describe("environment variables, added to the box's own"),
  label: z.string().max(80).optional().describe('what reports call it; the command line when absent'),
})

export const workerSchema = z.discriminatedUnion('kind', [
  commandSchema,
  z.strictObject({
    kind: z.literal('patch'),
    file: relativePath.describe('a diff in git style, relative to the task directory'),
    label: z.string().max(80).optional().describe('what reports call it; the file when absent'),
  }),
])
export type WorkerSpec = z.infer<typeof workerSchema>

export const oracleSchema = z.discriminatedUnion('kind', [
  commandSchema,
  z.strictObject({
    kind: z.literal('files'),
    directory: relativePath.describe('the folder that holds checks.json'),
  }),
])

const MIB = 'MiB (1,048,576 bytes)'

export const boxLimitsSchema = z
  .strictObject({
    memoryMb: z
      .number()
      .int()
      .min(32)
      .max(65536)
      .optional()
      .describe(`${MIB} of memory for all processes together, no swap`),
    cpus: z.number().min(0.1).max(64).optional().describe('processor time per wall time; 1 is one core'),
    processes: z.number().int().min(8).max(4096).optional().describe('processes and threads at once'),
    fileSizeMb: z.number().int().min(1).max(65536).optional().describe(`${MIB} of the largest single file`),
    openFiles: z.number().int().min(32).max(65536).optional().describe('open files of one process'),
    tmpMb: z
      .number()
      .int()
      .min(1)
      .max(8192)
      .optional()
      .describe(`${MIB} of each tmpfs; it counts as memory, too`),
    diskMb: z
      .number()
      .int()
      .min(1)
      .max(65536)
      .optional()
      .describe(`${MIB} on the box's writable volumes together`),
    inodes: z
      .number()
      .int()
      .min(100)
      .max(10_000_000)
      .optional()
      .describe("files, folders and links on the box's writable volumes together, and on each tmpfs"),
    outputMb: z
      .number()
      .int()
      .min(1)
      .max(1024)
      .optional()
      .describe(`${MIB} of stdout, and of stderr, that one program may write`),
  })
  .meta({ id: 'limits' })

export const taskSchema = z
  .strictObject({
    version: z.literal(1),
    id: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected lower-case letters, digits and hyphens, at most 64')
      .describe('lower-case letters, digits and hyphens'),
    title: z.string().max(200).optional().describe('what reports call the task; the id when absent'),
    request: relativePath
      .default('request.md')
      .describe('the file that holds the request, as worker and oracle get it'),
    base: baseSchema.describe('the tree that the request starts from'),
    image: imageSchema.describe('what the product runs in'),
    workdir: z
      .string()
      .regex(
        WORKDIR,
        'expected a folder of its own, e.g. /box/tree or /app; none of the system, none of /tmp',
      )
      .default('/box/tree')
      .describe('where the tree stands in a box: a folder of its own, no folder of the system'),
    dependencies: z
      .enum(['install', 'install-dev', 'none'])
      .default('install')
      .describe(
        "install: base's runtime dependencies are laid into one of our images when it is built; install-dev: also what npm's manifest says it is developed with, such as a test framework; none: nothing is",
      ),
    workers: z
      .array(workerSchema)
      .max(64)
      .default([])
      .describe('one attempt each; attempts are numbered from 1 in this order'),
    oracle: oracleSchema.describe('who writes the check set'),
    limits: z
      .strictObject({
        product: boxLimitsSchema
          .optional()
          .describe('of product boxes, and of judge boxes where it is more than they have'),
        worker: boxLimitsSchema.optional().describe('of worker and oracle boxes'),
      })
      .default({})
      .describe('limits where they differ from the defaults'),
    policy: policySchema.prefault({}),
    provenance: z
      .string()
      .max(1000)
      .optional()
      .describe('where the data comes from, in words: "made by hand", "published on npm by others", …'),
  })
  .meta({ id: 'task' })
export type Task = z.infer<typeof taskSchema>
