import type { CheckSet, SuiteRun } from '../../../specs/check-set.ts'
import { digestOf } from '../../../specs/digest.ts'
import { Fault } from '../../../specs/fault.ts'
import { placeOfTest } from '../../../specs/suite.ts'
import { seededRandom } from '../../pure/shuffle.ts'
import type { SuiteFramework } from '../framework.ts'

/** What is laid over a tree for a suite, and what is run of it. */
export interface SuitePlan {
  /** By path in the tree, canaries planted. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** Files with listed tests, sorted. */
  readonly run: readonly string[]
  /** Canaries of ours and of the author, with the place of {@link placeOfTest}. */
  readonly canaries: readonly Canary[]
}

export interface Canary {
  readonly place: string
  readonly test: string
  readonly isPlanted: boolean
}

/**
 * Lays out a suite and plants a canary in each file with tests whose author gave none. Same set and seed, same files:
 * a tree that is graded again meets the same ones.
 * @param seed the nonce seed of the seal.
 * @throws Fault `oracle/suite-canary` for a file that has no safe place for one.
 */
export function planSuite(
  suite: SuiteRun,
  set: CheckSet['files'],
  framework: Pick<SuiteFramework, 'plantCanary'>,
  seed: string,
): SuitePlan {
  const prefix = `${suite.folder}/`
  const files = new Map(
    [...set]
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, bytes]) => [path.slice(prefix.length), bytes]),
  )
  const placeOf = (test: string) => placeOfTest(suite.framework, test) ?? ''
  const places = new Set(suite.listed.map(({ test }) => placeOf(test)))
  const run = [...files.keys()].filter((path) => places.has(placeOfFile(suite, path))).sort()
  const given = suite.listed
    .filter(({ role }) => role === 'canary')
    .map(({ test }): Canary => ({ place: placeOf(test), test, isPlanted: false }))
  const planted = run
    .filter((path) => !given.some(({ place }) => place === placeOfFile(suite, path)))
    .map((path) => {
      const source = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(files.get(path))
      const canary = framework.plantCanary(source, path, randomFor(seed, suite.id, path))
      if (canary === undefined) {
        throw new Fault(
          'oracle/suite-canary',
          `${prefix}${path}: no safe place for a canary; add a test that must fail, and a check of role canary for it`,
        )
      }
      files.set(path, new TextEncoder().encode(canary.source))
      return { place: placeOf(canary.test), test: canary.test, isPlanted: true }
    })
  return { files, run, canaries: [...given, ...planted] }
}

/** What the ids of a file's tests begin with: the file, or for Go its folder. Only a file of tests has one there. */
function placeOfFile({ framework }: SuiteRun, path: string): string {
  if (framework !== 'go-test') return path
  return path.endsWith('_test.go') ? path.split('/').slice(0, -1).join('/') : '/'
}

function randomFor(seed: string, suite: string, path: string): () => number {
  const digest = digestOf({ seed, suite, path })
  return seededRandom(Number.parseInt(digest.slice('sha256:'.length, 'sha256:'.length + 8), 16))
}
