import { availableParallelism } from 'node:os'
import type { CheckSet, Probe } from '../specs/check-set.ts'
import type { Digest, TreeId } from '../specs/digest.ts'
import type { Examiner, Judged, Observations, Observed } from '../specs/examiner.ts'
import { Fault } from '../specs/fault.ts'
import type { Finding } from '../specs/grade.ts'
import type { BoxLimits, Sandbox } from '../specs/sandbox.ts'
import { PLAIN, variedIn } from '../specs/surroundings.ts'
import type { Trees } from '../specs/trees.ts'
import { judgeInBox } from './judge-box.ts'
import { ProductPool, type PoolRun, type PoolRuns } from './product-pool.ts'
import { runnerDigest } from './runner-digest.ts'
import { examineSuites, type RunInBoxes } from './suite-runs.ts'
import { capTotal } from './pure/total-size.ts'
import { completeness } from './pure/complete.ts'
import { withOthers } from './pure/history.ts'
import { matchObservation } from './pure/match.ts'
import { peoplesFolder } from './pure/people.ts'
import { schedule, type PlannedRun } from './pure/schedule.ts'
import { isMovable } from './pure/tree-place.ts'

export interface ExaminerOptions {
  readonly sandbox: Sandbox
  readonly trees: Pick<Trees, 'list' | 'tar' | 'overlay'>
  readonly runId: string
  /** The task's image, `sha256:…`. */
  readonly productImage: string
  /** Asked for only when a row is judged by a module. */
  readonly judgeImage: (signal: AbortSignal) => Promise<string>
  /** Limits of each product box; a judge box has no less than its own. */
  readonly limits: BoxLimits
  /** Where the tree stands in a box. */
  readonly workdir: string
  /** Boxes at work at once; by default as many as the machine has cores, at least 2. */
  readonly boxes?: number
  readonly runtime?: string
}

/** Owner of the tree's files in a box: nobody who ever runs there. */
const TREE_OWNER = { uid: 65_534, gid: 65_534 }
const BOX_USER = '20000:20000'

/** The examiner over a sandbox: product boxes for `observe`, the pure matcher and a judge box for `judge`. */
export class BoxExaminer implements Examiner {
  readonly #options: ExaminerOptions
  /** Boxes and volumes that are being removed: results do not wait for them. */
  readonly #clearing = new Set<Promise<void>>()

  constructor(options: ExaminerOptions) {
    this.#options = options
  }

  get runner(): Digest {
    return runnerDigest()
  }

  async observe(request: Parameters<Examiner['observe']>[0]): Promise<Observations> {
    const { probes, times, firstRun = 0, files, tree, orderSeed, ground } = request
    if (probes.length === 0 || times < 1) return { observed: [], findings: [] }
    const surroundings = await this.#possible(request)
    const alone = probes.filter(({ mechanism }) => mechanism !== 'suite')
    const plan = schedule(alone, times, orderSeed, firstRun, surroundings).map((run) =>
      withOthers(run, ground?.seed ?? ''),
    )
    const seen = await this.#runAll(tree, plan, files, boxesFor(plan.length), request)
    const run = (...[at, runs, assets]: Parameters<RunInBoxes>) => this.#runAll(at, runs, assets, 1, request)
    const suites = await examineSuites(request, this.#options.trees, run)
    const collected = collect(probes, [...plan, ...suites.plan], [...seen.runs, ...suites.runs])
    return {
      ...collected,
      findings: [...collected.findings, ...seen.findings, ...suites.findings],
      ...(suites.restored.length === 0 ? {} : { restored: suites.restored }),
      ...(suites.canaries.length === 0 ? {} : { canaries: suites.canaries }),
    }
  }

  /** The surroundings that are asked for, but that what is too large to be copied for a run stays where it is. */
  async #possible({ surroundings, ground, tree, signal }: Parameters<Examiner['observe']>[0]) {
    if (surroundings === undefined) return undefined
    const { trees, limits } = this.#options
    // Base says so for all that is compared with it: no output gets around a copy by its size.
    const canMove = isMovable(await trees.list(ground?.base ?? tree, signal), limits.tmpBytes)
    return (probe: Probe, run: number) => ({
      ...surroundings(probe, run),
      ...(canMove ? {} : { place: PLAIN.place }),
    })
  }

  /** Runs everything on one tree, in at most so many boxes (or what the options say). */
  async #runAll(
    tree: TreeId,
    plan: readonly PlannedRun[],
    files: CheckSet['files'],
    boxes: number,
    {
      orderSeed,
      ground,
      signal,
    }: Pick<Parameters<Examiner['observe']>[0], 'orderSeed' | 'ground' | 'signal'>,
  ): Promise<PoolRuns> {
    if (plan.length === 0) return { runs: [], findings: [] }
    const { sandbox, trees, runId, productImage, workdir } = this.#options
    const volume = await sandbox.createVolume(
      {
        runId,
        kind: 'product',
        imageId: productImage,
        layers: [{ at: '', tar: trees.tar(tree, TREE_OWNER) }],
      },
      signal,
    )
    const people = peoplesFolder(ground?.seed ?? '', workdir)
    const pool = new ProductPool({
      start: () => this.#startBox(volume, people, signal),
      tree: workdir,
      people,
      files,
      outputBytes: this.#options.limits.outputBytes,
      userSeed: orderSeed,
      signal,
    })
    try {
      return await pool.runAll(plan, this.#options.boxes ?? boxes)
    } finally {
      this.#clear(pool.gone().then(() => sandbox.removeVolume(volume)))
    }
  }

  /** Waits until all boxes and volumes of this examiner are gone. @throws Fault `infra/…` when one could not be removed. */
  async close(): Promise<void> {
    await Promise.all(this.#clearing)
  }

  #clear(work: Promise<void>): void {
    this.#clearing.add(work)
    // Its failure is thrown by close.
    work.then(
      () => this.#clearing.delete(work),
      () => undefined,
    )
  }

  async judge(request: Parameters<Examiner['judge']>[0]): Promise<readonly Judged[]> {
    const { rules, files, observed, base, signal } = request
    const judged: (Judged | undefined)[] = observed.map(({ row, observation }) => {
      const rule = rules.get(row)
      if (rule === undefined) throw new Fault('bug/unknown-row', `no rule for row ${row}`)
      if (rule.judge !== undefined) return undefined
      if (rule.expect === undefined) throw new Fault('bug/no-expectation', `row ${row} expects nothing`)
      return { row, ...matchObservation(rule.expect, observation, base.get(row)) }
    })
    const open = judged.flatMap((one, index) => (one === undefined ? [index] : []))
    if (open.length > 0) {
      const { sandbox, runId, judgeImage, limits, runtime } = this.#options
      const answers = await judgeInBox({
        sandbox,
        runId,
        imageId: await judgeImage(signal),
        limits,
        ...(runtime === undefined ? {} : { runtime }),
        rules,
        files,
        observed: open.map((index) => observed[index] as Observed),
        signal,
      })
      for (const [position, index] of open.entries()) judged[index] = answers[position]
    }
    return judged as readonly Judged[]
  }

  #startBox(volume: string, people: string | undefined, signal: AbortSignal) {
    const { sandbox, runId, productImage, workdir, limits, runtime } = this.#options
    return sandbox.startBox(
      {
        kind: 'product',
        imageId: productImage,
        runId,
        limits,
        mounts: [{ volume, path: workdir, readOnly: true }],
        ...(people === undefined ? {} : { tmpfs: [people] }),
        user: BOX_USER,
        workdir: '/',
        env: {},
        ...(runtime === undefined ? {} : { runtime }),
      },
      signal,
    )
  }
}

/** A box is worth its start only if it has some runs to do. */
const RUNS_PER_BOX = 12

function boxesFor(runs: number): number {
  return Math.min(Math.max(2, availableParallelism()), Math.ceil(runs / RUNS_PER_BOX))
}

/** The surroundings of a run where they are not plain. */
function recorded({ surroundings }: PlannedRun): Pick<Observed, 'surroundings'> {
  const varied = variedIn(surroundings)
  return Object.keys(varied).length === 0 ? {} : { surroundings: varied }
}

/** The observations in the order of rows and runs, whatever order they came in, and everything that is amiss. */
function collect(
  probes: readonly Probe[],
  plan: readonly PlannedRun[],
  runs: readonly PoolRun[],
): Observations {
  const key = ({ probe, run }: PoolRun['planned']) => ({ row: probe.row, run })
  const observed = runs.filter(({ observation }) => observation !== undefined)
  const incomplete = completeness(
    plan.map(key),
    observed.map(({ planned }) => key(planned)),
  )
  const rank = new Map(probes.map(({ row }, index) => [row, index]))
  const order = observed.toSorted(
    (a, b) =>
      (rank.get(a.planned.probe.row) ?? 0) - (rank.get(b.planned.probe.row) ?? 0) ||
      a.planned.run - b.planned.run,
  )
  const findings: Finding[] = [...runs.flatMap((one) => one.findings), ...incomplete]
  return {
    observed: capTotal(
      order.map(({ planned, observation }) => ({
        run: planned.run,
        of: {
          row: planned.probe.row,
          observation: observation as NonNullable<typeof observation>,
          ...recorded(planned),
        },
      })),
    ),
    findings,
  }
}
