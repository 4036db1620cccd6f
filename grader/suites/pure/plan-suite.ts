import type { CheckSet, SuiteRun } from '../../../specs/check-set.ts'
import { digestOf } from '../../../specs/digest.ts'
import type { SuiteGround } from '../../../specs/examiner.ts'
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
  /** Of one that is ours. */
  readonly planted?: {
    /** The file that it stands in, by its path in the set. */
    readonly file: string
    /** What it is a copy of, see `PlantedCanaries`. */
    readonly model?: number
  }
}

/**
 * Lays out a suite and plants canaries in each file with tests whose author gave none. Same set, seed and spoiled ones,
 * same files: a tree that is graded again meets the same ones.
 * @throws Fault `oracle/suite-canary` for a file that has no safe place for one.
 */
export function planSuite(
  suite: SuiteRun,
  set: CheckSet['files'],
  framework: Pick<SuiteFramework, 'plantCanaries'>,
  { seed, spoiled = {} }: Pick<SuiteGround, 'seed' | 'spoiled'>,
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
    .map(({ test }): Canary => ({ place: placeOf(test), test }))
  const wanted = suite.listed.filter(({ role }) => role === 'behaviour').map(({ test }) => test)
  const planted = run
    .filter((path) => !given.some(({ place }) => place === placeOfFile(suite, path)))
    .flatMap((path): readonly Canary[] => {
      const file = prefix + path
      const source = decoded(file, files.get(path) ?? new Uint8Array())
      const random = randomFor(seed, suite.id, path)
      const plant = framework.plantCanaries(source, path, { random, wanted, spoiled: spoiled[file] ?? [] })
      if (plant === undefined) throw withoutCanary(file, 'no safe place for a canary')
      files.set(path, new TextEncoder().encode(plant.source))
      return plant.canaries.map(({ test, model }) => ({
        place: placeOf(test),
        test,
        planted: { file, ...(model === undefined ? {} : { model }) },
      }))
    })
  return { files, run, canaries: [...given, ...planted] }
}

/** The text of a file; of one in another encoding nothing could be added to without a change to the rest. */
function decoded(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw withoutCanary(file, 'no UTF-8, so no canary can be planted in it')
  }
}

function withoutCanary(file: string, why: string): Fault {
  const wanted = 'add a test that must fail, and a check of role canary for it'
  return new Fault('oracle/suite-canary', `${file}: ${why}; ${wanted}`)
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
