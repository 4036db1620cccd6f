import type { CheckSet } from '../specs/check-set.ts'
import { canonicalJson, digestOf, digestOfBytes, type TreeId } from '../specs/digest.ts'
import { expandCheckSet } from '../specs/expand.ts'
import type { Observation } from '../specs/observation.ts'
import type { Admission, Seal, SealManifest } from '../specs/seal.ts'

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
}

/** The seal of an admitted set: sha256 over the canonical JSON of its manifest. Same arguments, same seal. */
export function sealCheckSet(request: SealRequest): Seal {
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
  }
  return { seal: digestOf(manifest), manifest, admission: request.admission }
}

/**
 * Whether a check set, and a request where one is given, are what was sealed.
 * @returns every difference, in words; an empty list when there is none.
 */
export function verifySeal(seal: Seal, set: CheckSet, request?: Uint8Array | string): readonly string[] {
  const { manifest, admission } = seal
  const rows = expandCheckSet(set.document).rules.map(({ row }) => row)
  return [
    ...(digestOf(manifest) === seal.seal ? [] : ['the manifest is not what the seal was made of']),
    ...(request === undefined || digestOfBytes(request) === manifest.request
      ? []
      : ['the request is not the sealed one']),
    ...fileDifferences(manifest.files, digestsOf(set)),
    ...(isSame(manifest.claims, set.document.claims) ? [] : ['the claims are not the sealed ones']),
    ...(isSame(
      manifest.rows.map(({ row }) => row),
      rows,
    )
      ? []
      : ['the rows are not the sealed ones']),
    ...(isSame(manifest.rows, admission.rows) ? [] : ['the admission is not of the sealed rows']),
    ...(admission.admitted ? [] : ['the set was not admitted']),
  ]
}

function digestsOf(set: CheckSet): Record<string, string> {
  return Object.fromEntries([...set.files].map(([path, bytes]) => [path, digestOfBytes(bytes)]))
}

function fileDifferences(
  sealed: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): readonly string[] {
  const paths = [...new Set([...Object.keys(sealed), ...Object.keys(found)])].sort()
  return paths.flatMap((path) => {
    if (!Object.hasOwn(found, path)) return [`${path} was sealed and is missing`]
    if (!Object.hasOwn(sealed, path)) return [`${path} was not sealed`]
    return sealed[path] === found[path] ? [] : [`${path} is not what was sealed`]
  })
}

function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right)
}
