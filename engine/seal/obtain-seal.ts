import { randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { trivialProducts } from '../../grader/pure/trivial-products.ts'
import { validateExpectation } from '../../grader/pure/validate-pattern.ts'
import { verdictsOf } from '../../grader/pure/verdict.ts'
import type { Author } from '../../oracle/authors/author.ts'
import { commandAuthor } from '../../oracle/authors/command.ts'
import { filesAuthor, readSetDirectory } from '../../oracle/authors/files.ts'
import { makeSeal, type OracleTry, type SealOutcome } from '../../oracle/make-seal.ts'
import { CHECK_SET_CAPS } from '../../oracle/read-check-set.ts'
import { digestOf, digestOfBytes, type Digest } from '../../specs/digest.ts'
import type { Examiner } from '../../specs/examiner.ts'
import { Fault, faultFamily } from '../../specs/fault.ts'
import { admissionCounts } from '../pure/admission-counts.ts'
import { boxLimits, WORKER_LIMITS } from '../pure/box-limits.ts'
import { productLimits } from '../grade/open-examiner.ts'
import { workerImage, type PreparedTask } from '../task/prepare-task.ts'
import { filesFromTar } from '../trees/files-from-tar.ts'
import { programTree } from '../workers/make-workers.ts'
import { WORKER_USER } from '../workers/command-worker.ts'
import type { Workshop } from '../workshop.ts'
import { readSealed, writeSealed, type Sealed } from './sealed-directory.ts'

export interface SealWatch {
  readonly note: (line: string) => void
  readonly onTry: (tried: OracleTry) => void | Promise<void>
  readonly signal: AbortSignal
}

export interface ObtainOptions {
  /** Takes a seal that was made before from the same request, base, image, runner and author. */
  readonly reuse: boolean
}

/** A sealed set, or the reasons why there is none; `reused` when it was made before. */
export type ObtainedSeal = SealOutcome & { readonly reused: boolean }

/**
 * Has the task's oracle write a check set, admits it on base and seals it; or takes the seal that is there already.
 * @throws Fault `infra/…` when the engine failed, `config/…` when the oracle's files are not there.
 */
export async function obtainSeal(
  run: string,
  prepared: PreparedTask,
  examiner: Examiner,
  workshop: Workshop,
  watch: SealWatch,
  options: ObtainOptions,
): Promise<ObtainedSeal> {
  const key = await sealKey(prepared, examiner, workshop, watch.signal)
  const kept = join(workshop.state.seals, key.replace(':', '-'))
  const { loaded, base, product } = prepared
  if (options.reuse && (await isThere(kept))) {
    const expected = { request: loaded.requestDigest, base, image: product.id, runner: examiner.runner }
    const sealed = await readSealed(kept, expected).catch((error: unknown) => {
      // It only saves time: one that does not hold, or was sealed for something else, is made anew.
      if (!(error instanceof Fault) || faultFamily(error.code) !== 'config') throw error
      watch.note(`the kept seal is not used: ${error.message}`)
      return undefined
    })
    if (sealed !== undefined) return { kind: 'sealed', ...sealed, tries: 0, reused: true }
  }
  const { policy } = loaded.task
  const outcome = await makeSeal(
    {
      author: await authorOf(run, prepared, workshop, watch),
      request: loaded.request,
      base,
      imageId: product.id,
      tries: policy.oracleTries,
      ...admissionCounts(policy),
      nonceSeed: randomBytes(32).toString('hex'),
      orderSeed: randomBytes(4).readUInt32BE(),
      signal: watch.signal,
      onTry: watch.onTry,
    },
    { examiner, trees: workshop.store, trivialProducts, validateExpectation, verdictsOf },
  )
  if (outcome.kind === 'sealed') await writeSealed(kept, outcome satisfies Sealed)
  return { ...outcome, reused: false }
}

/** Everything that a seal depends on. */
async function sealKey(
  prepared: PreparedTask,
  examiner: Examiner,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<Digest> {
  const { loaded, base, product } = prepared
  const { oracle, policy, workdir } = loaded.task
  const author =
    oracle.kind === 'files'
      ? await filesDigest(join(loaded.directory, oracle.directory), signal)
      : await programTree(oracle.program, prepared, workshop, signal)
  return digestOf({
    request: loaded.requestDigest,
    base,
    image: product.id,
    runner: examiner.runner,
    limits: productLimits(prepared),
    judge: prepared.judge.id,
    runtime: workshop.runtime ?? null,
    oracle,
    author: author ?? null,
    workdir,
    ...admissionCounts(policy),
    oracleTries: policy.oracleTries,
  })
}

async function filesDigest(directory: string, signal: AbortSignal): Promise<Digest> {
  const outcome = await readSetDirectory(directory, CHECK_SET_CAPS, signal)
  if (outcome.kind === 'refused') return digestOf({ refused: outcome.reason })
  return digestOf(Object.fromEntries([...outcome.files].map(([path, bytes]) => [path, digestOfBytes(bytes)])))
}

async function authorOf(
  run: string,
  prepared: PreparedTask,
  workshop: Workshop,
  watch: SealWatch,
): Promise<Author> {
  const { loaded, base } = prepared
  const { oracle, workdir, policy, limits } = loaded.task
  if (oracle.kind === 'files')
    return filesAuthor(join(loaded.directory, oracle.directory), `files ${oracle.directory}`)
  const image = await workerImage(prepared, workshop, watch.note, watch.signal)
  const folder = await programTree(oracle.program, prepared, workshop, watch.signal)
  return commandAuthor({
    argv: oracle.argv,
    ...(oracle.env === undefined ? {} : { env: oracle.env }),
    ...(oracle.label === undefined ? {} : { label: oracle.label }),
    sandbox: workshop.sandbox,
    trees: workshop.store,
    readFiles: filesFromTar,
    runId: run,
    imageId: image.id,
    limits: boxLimits(WORKER_LIMITS, limits.worker),
    user: WORKER_USER,
    base,
    workdir,
    request: loaded.request,
    ...(folder === undefined ? {} : { program: folder }),
    timeoutMs: policy.oracleTimeoutMs,
    ...(workshop.runtime === undefined ? {} : { runtime: workshop.runtime }),
  })
}

async function isThere(directory: string): Promise<boolean> {
  return stat(join(directory, 'seal.json')).then(
    () => true,
    () => false,
  )
}
