import { z } from 'zod'
import { digestSchema, treeIdSchema } from './digest.ts'
import { baseSchema } from './task.ts'

/** A recorded run, packed to be moved: `fixture.json` beside the files it lists. See `specs/fixture.md`. */
export const FIXTURE_VERSION = 1

const fileSchema = z
  .string()
  .max(500)
  .regex(
    /^(?!\.{1,2}(?:\/|$))[^/\\\u0000-\u001f]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\\u0000-\u001f]+)*$/,
    'expected a path below the fixture',
  )
  .describe('a path below the fixture: relative, without ..')

export const fixtureSchema = z.strictObject({
  version: z.literal(FIXTURE_VERSION),
  run: z.string(),
  task: z.string(),
  packedAt: z.iso.datetime(),
  /** Who made what is in it. */
  provenance: z.string(),
  /** How trees travel. `bundle`: a git bundle. `source`: the base's source with its integrity, outputs as diffs. */
  trees: z.discriminatedUnion('form', [
    z.strictObject({ form: z.literal('bundle'), file: fileSchema, trees: z.array(treeIdSchema) }),
    z.strictObject({
      form: z.literal('source'),
      base: baseSchema,
      tree: treeIdSchema,
      outputs: z.array(z.strictObject({ tree: treeIdSchema, diff: fileSchema })),
    }),
  ]),
  /** sha256 of every other file, by path inside the fixture. Nothing else may be there. */
  files: z.record(fileSchema, digestSchema),
})
export type Fixture = z.infer<typeof fixtureSchema>
