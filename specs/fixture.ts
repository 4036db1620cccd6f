import { z } from 'zod'
import { digestSchema, treeIdSchema } from './digest.ts'
import { baseSchema } from './task.ts'

/** A recorded run, packed to be moved: `fixture.json` beside the files it lists. See `specs/fixture.md`. */
export const FIXTURE_VERSION = 1

export const fixtureSchema = z.strictObject({
  version: z.literal(FIXTURE_VERSION),
  run: z.string(),
  task: z.string(),
  packedAt: z.iso.datetime(),
  /** Who made what is in it. */
  provenance: z.string(),
  /** How trees travel. `bundle`: a git bundle. `source`: the base's source with its integrity, outputs as diffs. */
  trees: z.discriminatedUnion('form', [
    z.strictObject({ form: z.literal('bundle'), file: z.string(), trees: z.array(treeIdSchema) }),
    z.strictObject({
      form: z.literal('source'),
      base: baseSchema,
      tree: treeIdSchema,
      outputs: z.array(z.strictObject({ tree: treeIdSchema, diff: z.string() })),
    }),
  ]),
  /** sha256 of every other file, by path inside the fixture. Nothing else may be there. */
  files: z.record(z.string(), digestSchema),
})
export type Fixture = z.infer<typeof fixtureSchema>
