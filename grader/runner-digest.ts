import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { digestOf, digestOfBytes, type Digest } from '../specs/digest.ts'

/** What gives a check set its meaning, beside the grader's own code. */
const SPECS: readonly string[] = [
  'check-set',
  'expand',
  'expectation',
  'json',
  'observation',
  'row-result',
  'surroundings',
  'suite',
  'protected-paths',
]
const CODE = /\.(?:ts|js|mjs|cjs|py|pl|sh|go|ini)$/
const NO_CODE = /\.(?:test|d)\.ts$|(?:^|\/)(?:testing|__pycache__)\//

let known: Digest | undefined

/**
 * Digest of all code that could change an observation or its judgement, from the bytes that this process runs: the
 * hosts, everything in `grader/`, and of `specs/` what reads a check set. Nothing has to be remembered when one of them
 * is changed. A package holds the same code as JavaScript and has another digest than a checkout.
 */
export function runnerDigest(): Digest {
  known ??= digestOf(digestsOfCode(join(import.meta.dirname, '..')))
  return known
}

/** sha256 of every file that counts, by its path below `root`. */
export function digestsOfCode(root: string): Readonly<Record<string, Digest>> {
  const grader = readdirSync(join(root, 'grader'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  const specs = readdirSync(join(root, 'specs'))
    .filter((name) => SPECS.includes(name.replace(/\.(?:ts|js)$/, '')))
    .map((name) => `specs/${name}`)
  const paths = [...grader, ...specs].filter((path) => CODE.test(path) && !NO_CODE.test(path)).sort()
  return Object.fromEntries(paths.map((path) => [path, digestOfBytes(readFileSync(join(root, path)))]))
}
