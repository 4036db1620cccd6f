import { checkSetSchema, type CheckSet, type CheckSetDocument } from './check-set.ts'
import { canonicalJson, digestOf, digestOfBytes, type Digest, type TreeId } from './digest.ts'
import { expandCheckSet } from './expand.ts'
import { Fault } from './fault.ts'
import type { Seal } from './seal.ts'

/** What a seal has to be of, besides holding together. What is absent is not asked about. */
export interface SealExpectation {
  /** The seal that the journal names. */
  readonly seal?: Digest | undefined
  /** sha256 of the request's bytes. */
  readonly request?: Digest | undefined
  readonly base?: TreeId | undefined
  /** Id of the image that outputs run in. */
  readonly image?: string | undefined
  /** Digest of the code that runs and judges. */
  readonly runner?: Digest | undefined
}

/** `broken`: this is not what was sealed. `stale`: it was sealed for something else, and has to be made anew. */
export interface SealDifference {
  readonly kind: 'broken' | 'stale'
  readonly what: string
}

/**
 * Whether a check set is what was sealed, and the seal the expected one: the one place where a seal is checked.
 * @returns every difference, in words; an empty list when there is none.
 */
export function verifySeal(
  seal: Seal,
  set: CheckSet,
  expected: SealExpectation = {},
): readonly SealDifference[] {
  const { manifest } = seal
  const broken = [
    ...(digestOf(manifest) === seal.seal ? [] : ['the manifest is not what the seal was made of']),
    ...(expected.seal === undefined || expected.seal === seal.seal
      ? []
      : [`the seal is ${seal.seal}, recorded was ${expected.seal}`]),
    ...fileDifferences(manifest.files, digestsOf(set)),
    ...documentDifferences(seal, set),
  ]
  const stale = (['request', 'base', 'image', 'runner'] as const).flatMap((field) => {
    const wanted = expected[field]
    return wanted === undefined || wanted === manifest[field]
      ? []
      : [`it was sealed for ${field} ${manifest[field]}, this is ${field} ${wanted}`]
  })
  return [
    ...broken.map((what) => ({ kind: 'broken' as const, what })),
    ...stale.map((what) => ({ kind: 'stale' as const, what })),
  ]
}

/** @throws Fault `config/seal` or `config/seal-stale` that names `place` and the first difference. */
export function requireSeal(seal: Seal, set: CheckSet, expected: SealExpectation, place: string): void {
  const [first] = verifySeal(seal, set, expected)
  if (first === undefined) return
  throw new Fault(first.kind === 'stale' ? 'config/seal-stale' : 'config/seal', `${place}: ${first.what}`)
}

/** sha256 of every file of a set, by its path. */
export function digestsOf(set: Pick<CheckSet, 'files'>): Record<string, Digest> {
  return Object.fromEntries([...set.files].map(([path, bytes]) => [path, digestOfBytes(bytes)]))
}

/** What a set's `checks.json` says, or undefined when it is no check set. */
export function documentOf(files: CheckSet['files']): CheckSetDocument | undefined {
  const bytes = files.get('checks.json')
  if (bytes === undefined) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const parsed = checkSetSchema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

function documentDifferences({ manifest, admission }: Seal, set: CheckSet): readonly string[] {
  const written = documentOf(set.files)
  const rows = expandCheckSet(set.document).rules.map(({ row }) => row)
  const sealedRows = manifest.rows.map(({ row }) => row)
  return [
    // As text: a document may hold what has no canonical form, and the schema gives both the same order.
    ...(JSON.stringify(written) === JSON.stringify(set.document)
      ? []
      : ['the check set is not what its checks.json says']),
    ...(isSame(manifest.claims, set.document.claims) ? [] : ['the claims are not the sealed ones']),
    ...(isSame(sealedRows, rows) ? [] : ['the rows are not the sealed ones']),
    ...(isSame(manifest.rows, admission.rows) ? [] : ['the admission is not of the sealed rows']),
    ...(admission.admitted ? [] : ['the set was not admitted']),
  ]
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
