import { z } from 'zod'
import { digestSchema } from '../specs/digest.ts'
import lock from './lock.json' with { type: 'json' }

const lockedPackageSchema = z.strictObject({
  version: z.string(),
  integrity: z.string().startsWith('sha512-'),
})
/** A package of the npm registry, pinned. */
export type LockedPackage = z.infer<typeof lockedPackageSchema>

/** `images/lock.json`: what the images are made of, the same for everyone. */
const committedLockSchema = z.strictObject({
  version: z.literal(1),
  debian: z.strictObject({
    suite: z.string(),
    /** Pulled where a registry answers. */
    image: z.string(),
  }),
  packages: z.record(z.string(), lockedPackageSchema),
  images: z.record(
    z.string(),
    z.strictObject({
      recipe: digestSchema,
      /** Digest under which a registry holds the image. */
      registryDigest: digestSchema.optional(),
    }),
  ),
})
export type CommittedLock = z.infer<typeof committedLockSchema>

export const COMMITTED_LOCK: CommittedLock = committedLockSchema.parse(lock)
