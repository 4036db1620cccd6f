import { randomBytes } from 'node:crypto'
import type { CheckSet, Probe, SuiteRun } from '../specs/check-set.ts'
import type { TreeId } from '../specs/digest.ts'
import type { CanarySeen, Examiner, SuiteGround } from '../specs/examiner.ts'
import { Fault } from '../specs/fault.ts'
import type { Finding, RestoredPath } from '../specs/grade.ts'
import { protectionOf, testFoldersOf } from '../specs/protected-paths.ts'
import { PLAIN, type Surroundings } from '../specs/surroundings.ts'
import type { Trees } from '../specs/trees.ts'
import { suiteAssets } from './host-files.ts'
import type { PoolRun, PoolRuns } from './product-pool.ts'
import type { PlannedRun } from './pure/schedule.ts'
import { frameworkOf } from './suites/frameworks.ts'
import { addedModules } from './suites/pure/added-modules.ts'
import { planSuite, type SuitePlan } from './suites/pure/plan-suite.ts'
import { readSuite } from './suites/pure/suite-observations.ts'

/** Runs planned runs on a tree, with these files in the box. */
export type RunInBoxes = (
  tree: TreeId,
  plan: readonly PlannedRun[],
  files: CheckSet['files'],
) => Promise<PoolRuns>

/** As if each row had been run by itself: for each the runs that were asked for and what they gave. */
interface SuitesExamined {
  readonly plan: readonly PlannedRun[]
  readonly runs: readonly PoolRun[]
  readonly findings: readonly Finding[]
  readonly restored: readonly RestoredPath[]
  readonly canaries: readonly CanarySeen[]
}

type ObserveRequest = Parameters<Examiner['observe']>[0]

/**
 * Runs the suites that probes are of, each `times` times over an overlaid tree of its own.
 * @throws Fault `oracle/suite-…`, `config/suite-runner` when a suite cannot be run at all.
 */
export async function examineSuites(
  request: ObserveRequest,
  trees: Pick<Trees, 'overlay' | 'list'>,
  runInBoxes: RunInBoxes,
): Promise<SuitesExamined> {
  const bySuite = Map.groupBy(
    request.probes.filter(({ suite }) => suite !== undefined),
    ({ suite }) => suite as SuiteRun,
  )
  const examined: SuitesExamined[] = []
  for (const [suite, probes] of bySuite) {
    examined.push(await examineSuite(suite, probes, request, trees, runInBoxes))
  }
  const restored = new Map(examined.flatMap((one) => one.restored.map((path) => [path.path, path])))
  return {
    plan: examined.flatMap(({ plan }) => plan),
    runs: examined.flatMap(({ runs }) => runs),
    findings: examined.flatMap(({ findings }) => findings),
    restored: [...restored.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    canaries: examined.flatMap(({ canaries }) => canaries),
  }
}

async function examineSuite(
  suite: SuiteRun,
  probes: readonly Probe[],
  request: ObserveRequest,
  trees: Pick<Trees, 'overlay' | 'list'>,
  runInBoxes: RunInBoxes,
): Promise<SuitesExamined> {
  const { times, firstRun = 0, files, signal } = request
  const ground = groundOf(request)
  const framework = frameworkOf(suite.framework)
  const laid = planSuite(suite, files, framework, ground)
  const folders = testFoldersOf(laid.files.keys())
  const { tree, replaced } = await trees.overlay(
    {
      output: request.tree,
      base: ground.base,
      files: laid.files,
      isProtected: (path) => protectionOf(suite.framework, path, folders) !== undefined,
    },
    signal,
  )
  const nonce = randomBytes(16).toString('hex')
  const tests = suite.listed.map(({ test }) => test)
  const added =
    suite.framework === 'pytest' ? await modulesAdded(request.tree, ground, laid, trees, signal) : []
  const planned = Array.from({ length: times }, (_, index): PlannedRun => {
    const run = firstRun + index
    return {
      probe: wholeSuite(suite),
      run,
      surroundings: surroundingsOfRun(probes, run, request),
      suite: { framework, files: laid.run, tests, added, nonce },
    }
  })
  const { runs, findings } = await runInBoxes(tree, planned, suiteAssets(framework.assets))
  const listed = probes.map(({ row, test = '' }) => ({
    row,
    test,
    role: suite.listed.find((one) => one.row === row)?.role ?? ('behaviour' as const),
  }))
  const isBase = request.tree === ground.base
  const about = { suite, framework, canaries: laid.canaries, nonce, isBase }
  const canaries: CanarySeen[] = []
  const rowRuns = runs.flatMap(({ planned: { run, surroundings }, observation }): readonly PoolRun[] => {
    if (observation === undefined) return []
    const reading = readSuite(observation, about, listed)
    canaries.push(...reading.canaries)
    const probeOf = new Map(probes.map((probe) => [probe.row, probe]))
    return reading.observed.map(({ row, observation: own }, index) => ({
      planned: { probe: probeOf.get(row) as Probe, run, surroundings },
      observation: own,
      // Once for the run, not for each row.
      findings: index === 0 ? reading.findings : [],
    }))
  })
  return {
    plan: planned.flatMap(({ run, surroundings }) => probes.map((probe) => ({ probe, run, surroundings }))),
    runs: rowRuns,
    findings: [...runs.flatMap((one) => one.findings.map((finding) => ofSuite(finding, suite))), ...findings],
    restored: restoredPaths(suite, laid, replaced),
    canaries,
  }
}

/** One run has one place and time, whichever of its rows is asked for them. */
function surroundingsOfRun(
  [first]: readonly Probe[],
  run: number,
  { surroundings }: ObserveRequest,
): Surroundings {
  return first === undefined ? PLAIN : (surroundings?.(first, run) ?? PLAIN)
}

async function modulesAdded(
  output: TreeId,
  { base }: SuiteGround,
  { files }: SuitePlan,
  trees: Pick<Trees, 'list'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [own, others] = await Promise.all([output, base].map((tree) => trees.list(tree, signal)))
  const paths = (entries: Awaited<ReturnType<Trees['list']>> = []) => entries.map(({ path }) => path)
  return addedModules(paths(own), paths(others), files.keys())
}

function groundOf({ ground }: ObserveRequest): SuiteGround {
  if (ground === undefined)
    throw new Fault('bug/suite-ground', 'a suite is asked for without a base and a seed')
  return ground
}

/** What a box is given to run: all rows at once. */
function wholeSuite({ id, folder, timeoutMs }: SuiteRun): Probe {
  return { row: folder, check: id, mechanism: 'suite', writable: true, timeoutMs, seed: 0 }
}

/** A finding about the run as a whole is about no row. */
function ofSuite({ kind, detail }: Finding, { id }: SuiteRun): Finding {
  return { kind, detail: `suite ${id}: ${detail}` }
}

function restoredPaths(
  { framework }: SuiteRun,
  { files }: SuitePlan,
  replaced: readonly string[],
): readonly RestoredPath[] {
  const folders = testFoldersOf(files.keys())
  return replaced.map((path) => {
    const protection = protectionOf(framework, path, folders)
    const isTest = protection === 'tests' && !files.has(path)
    return { path, why: protection === 'configuration' ? protection : isTest ? 'tests' : 'sealed' }
  })
}
