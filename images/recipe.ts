import { digestOf, type Digest } from '../specs/digest.ts'
import { COMMITTED_LOCK, type CommittedLock } from './committed-lock.ts'
import { IMAGE_DEFINITIONS, packagesOf, type ImageName } from './definitions.ts'

/**
 * The recipe digest of an image: sha256 over the canonical JSON of its definition, of the pinned packages it takes
 * files from, and of its parent's recipe. It changes when anything that we decide about the image changes; it says
 * nothing about the Debian packages of the day, which only the image id pins.
 */
export function recipeOf(name: ImageName, lock: CommittedLock = COMMITTED_LOCK): Digest {
  const definition = IMAGE_DEFINITIONS[name]
  return digestOf({
    name,
    parent: definition.parent === null ? lock.debian : recipeOf(definition.parent, lock),
    files: definition.files,
    packages: packagesOf(definition, lock.packages),
    sources: definition.sources ?? {},
    instructions: definition.instructions,
  })
}
