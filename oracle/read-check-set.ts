import { checkSetSchema, type CheckSet } from '../specs/check-set.ts'
import type { Json } from '../specs/json.ts'
import { checkRules } from './pure/check-rules.ts'
import type { ValidateExpectation } from './pure/expectation-rules.ts'
import { CHECKS_FILE, pathText, type Path, type Problem, type ProblemCode } from './pure/problem.ts'
import { schemaProblems } from './pure/schema-problems.ts'
import { parseStrictJson } from './pure/strict-json.ts'

/** Caps on what an author hands in. */
export const CHECK_SET_CAPS = {
  files: 1000,
  /** Of one file. */
  fileBytes: 5_000_000,
  /** Of all files together. */
  totalBytes: 20_000_000,
} as const

export type ReadOutcome =
  | { readonly kind: 'read'; readonly set: CheckSet }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

const PLACE = /^(?:scenarios|judges|suites|trials)(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]+)+$/

/**
 * Reads a check set out of its files and holds it against every rule of the format. Never throws, whatever the bytes.
 * @param files by path inside the set; `checks.json` is among them and stays among the set's files.
 * @param options.request the text that claims must quote.
 * @param options.tolerates rules that need not hold, for a set that is still being written.
 * @param options.validateExpectation the matcher's own check of expectations.
 */
export function readCheckSet(
  files: ReadonlyMap<string, Uint8Array>,
  options: {
    readonly request: string
    readonly validateExpectation: ValidateExpectation
    readonly tolerates?: ReadonlySet<ProblemCode>
  },
): ReadOutcome {
  const placed = fileProblems(files)
  if (placed.length > 0) return { kind: 'refused', problems: placed }
  const parsed = parseChecksFile(files.get(CHECKS_FILE))
  if ('code' in parsed) return { kind: 'refused', problems: [parsed] }
  const shaped = checkSetSchema.safeParse(parsed.value)
  if (!shaped.success) {
    return { kind: 'refused', problems: schemaProblems(CHECKS_FILE, shaped.error.issues) }
  }
  const problems = [
    ...droppedKeys(parsed.value, shaped.data, []),
    ...checkRules(shaped.data, { files: new Set(files.keys()), ...options }),
  ].filter(({ code }) => options.tolerates?.has(code) !== true)
  return problems.length > 0
    ? { kind: 'refused', problems }
    : { kind: 'read', set: { document: shaped.data, files } }
}

function fileProblems(files: ReadonlyMap<string, Uint8Array>): readonly Problem[] {
  const sizes = [...files].map(([file, bytes]) => ({ file, bytes: bytes.length }))
  const totalBytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  const tooLarge = (file: string, message: string): Problem => ({ code: 'too-large', file, at: '', message })
  const { files: mostFiles, fileBytes, totalBytes: mostBytes } = CHECK_SET_CAPS
  return [
    ...(sizes.length > mostFiles ? [tooLarge('the set', `${sizes.length} files: at most ${mostFiles}`)] : []),
    ...(totalBytes > mostBytes ? [tooLarge('the set', `${totalBytes} bytes: at most ${mostBytes}`)] : []),
    ...sizes
      .filter(({ bytes }) => bytes > fileBytes)
      .map(({ file, bytes }) => tooLarge(JSON.stringify(file), `${bytes} bytes: at most ${fileBytes}`)),
    ...sizes
      .filter(({ file }) => file !== CHECKS_FILE && !PLACE.test(file))
      .map(({ file }): Problem => ({
        code: 'file-refused',
        file: JSON.stringify(file),
        at: '',
        message:
          'expected checks.json, or a file below scenarios/, judges/, suites/ or trials/ named in A-Z a-z 0-9 . _ - only',
      })),
  ]
}

function parseChecksFile(bytes: Uint8Array | undefined): Problem | { readonly value: Json } {
  const refusal = (at: string, message: string): Problem => ({
    code: 'not-json',
    file: CHECKS_FILE,
    at,
    message,
  })
  if (bytes === undefined)
    return refusal('', 'missing: expected a JSON document that lists claims and checks')
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refusal('', 'expected UTF-8')
  }
  const outcome = parseStrictJson(text)
  return outcome.kind === 'json' ? { value: outcome.value } : refusal(outcome.at, outcome.problem)
}

/** Keys that the schema let fall without a word (`__proto__` in a table of names): nothing of a set may get lost so. */
function droppedKeys(raw: unknown, kept: unknown, path: Path): readonly Problem[] {
  if (raw === kept || typeof raw !== 'object' || raw === null) return []
  return Object.entries(raw).flatMap(([key, value]) => {
    const at = [...path, Array.isArray(raw) ? Number(key) : key]
    if (typeof kept === 'object' && kept !== null && Object.hasOwn(kept, key)) {
      return droppedKeys(value, (kept as Readonly<Record<string, unknown>>)[key], at)
    }
    return [
      {
        code: 'wrong-form' as const,
        file: CHECKS_FILE,
        at: pathText(at),
        message: 'a key that cannot stand here',
      },
    ]
  })
}
