import type { CheckSet } from '../specs/check-set.ts'
import { digestOf, type Digest, type TreeId } from '../specs/digest.ts'
import type { Examiner, Judged, Observations } from '../specs/examiner.ts'
import { expandCheckSet } from '../specs/expand.ts'
import { Fault } from '../specs/fault.ts'
import type { Grade, RestoredPath } from '../specs/grade.ts'
import type { Seal } from '../specs/seal.ts'
import { pinsFor, surroundingsOf } from '../specs/surroundings.ts'
import { requireSeal } from '../specs/verify-seal.ts'
import { canaryFindings, rowResults, rowsToRun } from './pure/assemble-grade.ts'
import { verdictsOf } from './pure/verdict.ts'

/** What a grade answers. Two grades with the same question have the same key. */
export interface GradeQuestion {
  readonly tree: TreeId
  readonly seal: Digest
  /** Image id of the product box. */
  readonly image: string
  readonly runner: Digest
  /** Digest of everything that bounds a run: limits of the boxes, repeats. */
  readonly limits: Digest
}

/** Tests that a person would read about. Changed configuration decides, so all of it is kept. */
const MAX_RESTORED_TESTS = 1000

/** hash(image, tree, seal, runner, limits): the same question is never run twice, and no other has its answer (D14). */
export function gradeKey({ tree, seal, image, runner, limits }: GradeQuestion): Digest {
  return digestOf({ tree, seal, image, runner, limits })
}

/** The order in which rows run: nobody who has not seen the seal can foresee it, and a grade made again has the same. */
export function orderSeedOf(nonceSeed: string, tree: TreeId): number {
  return Number.parseInt(digestOf({ nonceSeed, tree }).slice('sha256:'.length, 'sha256:'.length + 8), 16)
}

/**
 * Runs a sealed check set on one tree and says what that proves.
 * @param options.examiner over the image that `image` names.
 * @param options.repeats runs of every row.
 * @param options.elsewhere the set was sealed on another machine, whose image has another id and whose Assay may be
 * another: only results are comparable then. Otherwise image and runner must be those that it was sealed with.
 * @throws Fault `config/seal` when the check set is not the sealed one, `config/seal-stale` when it was sealed with
 * another image or runner; `infra/…` when the engine failed.
 */
export async function gradeTree(options: {
  readonly examiner: Examiner
  readonly seal: Seal
  readonly checkSet: CheckSet
  readonly tree: TreeId
  readonly image: string
  readonly limits: Digest
  readonly repeats: number
  readonly elsewhere?: boolean
  readonly signal: AbortSignal
}): Promise<Grade> {
  const { examiner, seal, checkSet, tree, image, limits, repeats, signal } = options
  const { manifest } = seal
  const here = options.elsewhere === true ? {} : { image, runner: examiner.runner }
  requireSeal(seal, checkSet, here, 'the check set')
  const expanded = expandCheckSet(checkSet.document)
  const rules = rowsToRun(expanded.rules, manifest.rows)
  const ran = new Set(rules.map(({ row }) => row))
  const probes = expanded.probes.filter(({ row }) => ran.has(row))
  const pins = new Map(manifest.rows.map(({ row, pinned }) => [row, pinned]))
  const seen = await examiner.observe({
    tree,
    files: checkSet.files,
    probes,
    times: repeats,
    surroundings: (probe, run) => surroundingsOf(manifest.nonceSeed, probe, run, pinsFor(probe, pins)),
    orderSeed: orderSeedOf(manifest.nonceSeed, tree),
    ground: {
      base: manifest.base,
      seed: manifest.nonceSeed,
      ...(manifest.spoiledCanaries === undefined ? {} : { spoiled: manifest.spoiledCanaries }),
    },
    signal,
  })
  const judged = await examiner.judge({
    rules: new Map(rules.map((rule) => [rule.row, rule])),
    files: checkSet.files,
    observed: seen.observed,
    base: new Map(Object.entries(manifest.baseObservations)),
    signal,
  })
  const question = { tree, seal: seal.seal, image, runner: examiner.runner, limits }
  return assembleGrade({ question, seal, checkSet, repeats, seen, judged })
}

/** What observations and their judgements add up to; pure. Also how a recorded grade is judged again. */
export function assembleGrade(parts: {
  readonly question: GradeQuestion
  readonly seal: Seal
  readonly checkSet: CheckSet
  readonly repeats: number
  readonly seen: Observations
  /** In the order of what was observed. */
  readonly judged: readonly Judged[]
}): Grade {
  const { question, seal, checkSet, repeats, seen, judged } = parts
  const runs = seen.observed.map(({ row, observation, surroundings }, index) => {
    const judgement = judged[index]
    if (judgement?.row !== row) throw new Fault('bug/judgement-order', `no judgement for a run of ${row}`)
    return { ...judgement, observation, ...(surroundings === undefined ? {} : { surroundings }) }
  })
  const { claims, rows: admissions, baseObservations } = seal.manifest
  const rows = rowResults(rowsToRun(expandCheckSet(checkSet.document).rules, admissions), runs, repeats)
  const findings = [...seen.findings, ...canaryFindings(rows)]
  const { unverifiable } = checkSet.document
  const verdicts = verdictsOf({ claims, unverifiable, admissions, rows, baseObservations, findings })
  return {
    version: 1,
    key: gradeKey(question),
    ...question,
    verdict: verdicts.verdict,
    findings,
    claims: [...verdicts.claims],
    rows: [...rows],
    ...(seen.restored === undefined ? {} : { restored: bounded(seen.restored) }),
    failed: verdicts.failed,
    of: verdicts.of,
  }
}

function bounded(restored: readonly RestoredPath[]): RestoredPath[] {
  let tests = 0
  return restored.filter(({ why }) => why !== 'tests' || (tests += 1) <= MAX_RESTORED_TESTS)
}
