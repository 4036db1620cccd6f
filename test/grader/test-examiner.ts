import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PRODUCT_LIMITS } from '../../engine/pure/box-limits.ts'
import { dockerTestHost } from '../../engine/sandbox/docker-test-host.ts'
import { testRuntime } from '../../engine/sandbox/test-runtime.ts'
import { GitTreeStore } from '../../engine/trees/git-tree-store.ts'
import { BoxExaminer } from '../../grader/examiner.ts'
import { schedule } from '../../grader/pure/schedule.ts'
import type { CommandSpec, Probe, ServiceSpec } from '../../specs/check-set.ts'
import type { Observations } from '../../specs/examiner.ts'
import type { Observation } from '../../specs/observation.ts'
import type { BoxLimits, ReapReport } from '../../specs/sandbox.ts'
import type { Surroundings } from '../../specs/surroundings.ts'

/** What a test says of a probe; the rest is usual. */
export interface ProbeOf {
  readonly row?: string
  readonly scenario?: string
  readonly command?: Partial<CommandSpec> & Pick<CommandSpec, 'argv'>
  readonly service?: ServiceSpec
  readonly writable?: boolean
  readonly timeoutMs?: number
  readonly input?: unknown
}

/** The examiner on the real engine, over trees that a test writes. */
export interface TestExaminer {
  readonly examiner: BoxExaminer
  /** Runs probes on a tree of these files, the first probe first; scenario sources are given as they are. */
  observe(
    tree: Readonly<Record<string, string>>,
    probes: readonly ProbeOf[],
    options?: {
      readonly scenarios?: Readonly<Record<string, string>>
      readonly times?: number
      readonly boxes?: number
      readonly limits?: Partial<BoxLimits>
      /** Of each run; plain when absent. */
      readonly surroundings?: (probe: Probe, run: number) => Surroundings
    },
  ): Promise<Observations>
  /** The one observation of one probe. */
  observeOne(tree: Readonly<Record<string, string>>, probe: ProbeOf, scenario?: string): Promise<Observation>
  /** Removes what is left on the engine and says how much that was. */
  close(): Promise<ReapReport>
}

/** @param productImage the image with sh, node and python when absent. */
export async function testExaminer(productImage?: string): Promise<TestExaminer> {
  const { sandbox, imageId: usual } = await dockerTestHost()
  const imageId = productImage ?? usual
  const scratch = await mkdtemp(join(tmpdir(), 'assay-grader-'))
  const trees = await GitTreeStore.open(join(scratch, 'store'))
  const runId = `grader-${randomUUID()}`
  const { signal } = new AbortController()
  const examinerOf = (limits: Partial<BoxLimits>, boxes: number) =>
    new BoxExaminer({
      sandbox,
      trees,
      runId,
      productImage: imageId,
      judgeImage: () => Promise.resolve(imageId),
      limits: { ...PRODUCT_LIMITS, ...limits },
      workdir: '/box/tree',
      boxes,
      ...testRuntime(),
    })
  const observe: TestExaminer['observe'] = async (tree, probes, options = {}) => {
    const files = Object.entries(tree).map(([path, text]) => ({
      path,
      mode: path.startsWith('bin/') ? ('100755' as const) : ('100644' as const),
      content: Buffer.from(text),
    }))
    const examiner = examinerOf(options.limits ?? {}, options.boxes ?? 1)
    const observations = await examiner.observe({
      tree: await trees.writeTree(files),
      files: new Map(
        Object.entries(options.scenarios ?? {}).map(([path, text]) => [path, Buffer.from(text)]),
      ),
      probes: probes.map(probeOf),
      times: options.times ?? 1,
      ...(options.surroundings === undefined ? {} : { surroundings: options.surroundings }),
      orderSeed: seedWithFirst(probes.map(probeOf), options.times ?? 1),
      signal,
    })
    await examiner.close()
    return observations
  }
  return {
    examiner: examinerOf({}, 1),
    observe,
    observeOne: async (tree, probe, scenario) => {
      const path = probe.scenario ?? 'scenarios/one.mjs'
      const withScenario = scenario === undefined ? probe : { ...probe, scenario: path }
      const scenarios = scenario === undefined ? {} : { [path]: scenario }
      const { observed, findings } = await observe(tree, [withScenario], { scenarios })
      if (findings.length > 0) throw new Error(`findings: ${JSON.stringify(findings)}`)
      const first = observed[0]
      if (first === undefined) throw new Error('nothing observed')
      return first.observation
    },
    close: async () => {
      const report = await sandbox.reap({ run: runId })
      await rm(scratch, { recursive: true })
      return report
    },
  }
}

/** Runs are shuffled; a seed that happens to leave the first probe's first run where it is. */
function seedWithFirst(probes: readonly Probe[], times: number): number {
  let seed = 0
  for (; ; seed += 1) {
    const first = schedule(probes, times, seed)[0]
    if (first?.probe.row === probes[0]?.row && first?.run === 0) return seed
  }
}

function probeOf(probe: ProbeOf): Probe {
  const { row = 'row', scenario, command, service, writable = false, timeoutMs = 5000, input } = probe
  return {
    row,
    check: row,
    mechanism: command !== undefined ? 'command' : service !== undefined ? 'service' : 'scenario',
    ...(scenario === undefined ? {} : { scenario }),
    ...(command === undefined ? {} : { command: { cwd: 'tmp', ...command } }),
    ...(service === undefined ? {} : { service }),
    writable,
    timeoutMs,
    seed: 7,
    ...(input === undefined ? {} : { input }),
  }
}
