import { z } from 'zod'
import { digestSchema, treeIdSchema } from './digest.ts'
import { findingSchema } from './grade.ts'
import { jsonSchema } from './json.ts'
import { observationSchema } from './observation.ts'

/** How verified outputs of a race behave on scenarios that none of them was graded with. See `specs/comparison.md`. */
export const comparisonSchema = z
  .strictObject({
    version: z.literal(1),
    seal: digestSchema,
    trees: z.array(treeIdSchema).min(2),
    /** Fresh scenarios that said something: at least one tree did the same each time. */
    scenarios: z.number().int().min(0),
    /** Fresh scenarios on which every tree did one thing and then another, or what cannot be compared. */
    unstable: z.number().int().min(0),
    /** Scenarios on which two trees did different things, or only one of them the same each time; at most twenty. */
    differences: z
      .array(
        z.strictObject({
          /** The sealed row that it was made from. */
          row: z.string(),
          input: jsonSchema().optional(),
          seed: z.number().int(),
          /** In the order of `trees`. */
          observations: z.array(observationSchema).min(2),
        }),
      )
      .max(20),
    /** How many there are. */
    differing: z.number().int().min(0),
    /** Integrity findings on the way, by tree. */
    findings: z.array(z.strictObject({ tree: treeIdSchema, finding: findingSchema })).max(100),
  })
  .meta({ id: 'comparison' })
export type Comparison = z.infer<typeof comparisonSchema>
