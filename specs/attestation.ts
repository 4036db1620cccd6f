import { z } from 'zod'
import { commitIdSchema, digestSchema, treeIdSchema } from './digest.ts'
import { holdCauseSchema } from './decision.ts'
import { verdictSchema } from './grade.ts'

/** What Assay attests of a commit that it landed: an in-toto Statement v1. See `specs/attestation.md`. */
export const PREDICATE_TYPE = 'urn:assay:verdict:v0.1'
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'

export const statementSchema = z
  .strictObject({
    _type: z.literal('https://in-toto.io/Statement/v1'),
    subject: z.tuple([
      z.strictObject({ name: z.literal('commit'), digest: z.strictObject({ gitCommit: commitIdSchema }) }),
      z.strictObject({ name: z.literal('tree'), digest: z.strictObject({ gitTree: treeIdSchema }) }),
    ]),
    predicateType: z.literal(PREDICATE_TYPE),
    predicate: z.strictObject({
      task: z.string(),
      run: z.string(),
      seal: digestSchema,
      verdict: verdictSchema,
      grade: digestSchema,
      /** The tree that was graded: the commit's own, or the folder of it that base is. */
      graded: treeIdSchema,
      base: treeIdSchema,
      image: z.string(),
      runner: digestSchema,
      /** What a person let pass. */
      accepted: z.array(holdCauseSchema).optional(),
    }),
  })
  .meta({ id: 'attestation' })
export type Statement = z.infer<typeof statementSchema>

const base64 = z.base64()

/** A DSSE envelope v1, as the note holds it. */
export const envelopeSchema = z.strictObject({
  payloadType: z.literal(PAYLOAD_TYPE),
  payload: base64,
  signatures: z
    .array(z.strictObject({ keyid: z.string(), sig: base64 }))
    .min(1)
    .max(10),
})
export type Envelope = z.infer<typeof envelopeSchema>
