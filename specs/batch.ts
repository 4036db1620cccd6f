import { z } from 'zod'
import { digestSchema } from './digest.ts'
import { jsonSchema } from './json.ts'

/** What a batch began with, and which run is whose. What became of each run stands in its own journal. See `specs/batch.md`. */
export const batchSchema = z
  .strictObject({
    version: z.literal(1),
    id: z.string().regex(/^batch-[0-9a-z-]+$/, 'expected the id of a batch'),
    startedAt: z.iso.datetime(),
    /** Digest of the code that grades. */
    runner: digestSchema,
    /** Digest of what our images are built from. */
    images: digestSchema,
    concurrency: z.number().int().min(1).max(64),
    /** `REPO#BRANCH`, absolute; absent where nothing lands. */
    land: z.string().optional(),
    sign: z.string().optional(),
    tasks: z
      .array(
        z.strictObject({
          /** The task directory, absolute. */
          path: z.string(),
          id: z.string(),
          /** Over the parsed task, with the policy that holds, and the request. */
          taskDigest: digestSchema,
          policy: digestSchema,
          /** Every file below the task directory. */
          files: z.record(z.string(), digestSchema),
          run: z.string(),
        }),
      )
      .min(1)
      .max(10_000),
    /** Fields of the policy that replaced those of the tasks. */
    overrides: z.record(z.string(), jsonSchema()),
  })
  .meta({ id: 'batch' })
export type Batch = z.infer<typeof batchSchema>
