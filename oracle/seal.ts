import type { CheckSet } from '../specs/check-set.ts'
import { digestOf, digestOfBytes, type TreeId } from '../specs/digest.ts'
import type { Observation } from '../specs/observation.ts'
import type { Admission, Seal, SealManifest, SpoiledCanaries } from '../specs/seal.ts'
import { digestsOf } from '../specs/verify-seal.ts'

export interface SealRequest {
  readonly set: CheckSet
  /** The request's bytes. */
  readonly request: Uint8Array | string
  readonly base: TreeId
  readonly imageId: string
  /** Digest of the code that ran the set, from the examiner. */
  readonly runner: string
  readonly admission: Admission
  readonly baseObservations: Readonly<Record<string, Observation>>
  readonly author: string
  /** 64 lower-case hex digits of fresh randomness. */
  readonly nonceSeed: string
  /** Canaries of suites that are not planted. */
  readonly spoiledCanaries?: SpoiledCanaries
}

/** The seal of an admitted set: sha256 over the canonical JSON of its manifest. Same arguments, same seal (D17). */
export function sealCheckSet(request: SealRequest): Seal {
  const spoiled = Object.entries(request.spoiledCanaries ?? {}).map(
    ([file, models]) => [file, models === 'all' ? models : [...models]] as const,
  )
  const manifest: SealManifest = {
    version: 1,
    request: digestOfBytes(request.request),
    base: request.base,
    image: request.imageId,
    runner: request.runner,
    files: digestsOf(request.set),
    claims: [...request.set.document.claims],
    rows: [...request.admission.rows],
    baseObservations: { ...request.baseObservations },
    author: request.author,
    nonceSeed: request.nonceSeed,
    ...(spoiled.length === 0 ? {} : { spoiledCanaries: Object.fromEntries(spoiled) }),
  }
  return { seal: digestOf(manifest), manifest, admission: request.admission }
}
