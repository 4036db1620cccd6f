import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { TreeId } from '../../specs/digest.ts'
import type { Examiner } from '../../specs/examiner.ts'
import { Fault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import { gradeOutput } from '../grade/grade-output.ts'
import type { Blobs } from '../journal/blobs.ts'
import type { Journal } from '../journal/journal.ts'
import { attemptTimeMs } from '../pure/attempt-time.ts'
import { gradeFacts, sealedEvent } from '../pure/event-facts.ts'
import { feedbackDelayMs } from '../pure/feedback-time.ts'
import { roundStart } from '../pure/round-start.ts'
import { obtainSeal } from '../seal/obtain-seal.ts'
import { readSealed, writeSealed, type Sealed } from '../seal/sealed-directory.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import type { Worker } from '../workers/worker.ts'
import type { Workshop } from '../workshop.ts'
import { compareAttempts } from './compare-action.ts'
import type { Actions } from './decided-work.ts'
import { landingActions } from './landing-actions.ts'
import type { LandingDesk } from './landing-desk.ts'
import { lastEvent } from './last-event.ts'
import { openDelivery } from './open-delivery.ts'
import { runPaths } from './read-run.ts'

export interface ActionDeps {
  readonly run: string
  /** The run's directory. */
  readonly directory: string
  readonly journal: Journal
  readonly blobs: Blobs
  readonly prepared: PreparedTask
  readonly workers: readonly Worker[]
  readonly workshop: Workshop
  readonly examiner: Examiner
  /** Absent where nothing lands. */
  readonly desk: LandingDesk | undefined
  readonly note: (line: string) => void
}

/** What each decision of a run does. */
export function runActions(deps: ActionDeps): Actions {
  const { journal, blobs, prepared, workshop } = deps
  // One tree at a time: a grade keeps all cores busy, and more at once only make each other late.
  const grading = new PQueue({ concurrency: 1 })
  return {
    seal: (report, signal) => seal(deps, report, signal),
    async start(attempt, round, signal) {
      const worker = deps.workers[attempt - 1]
      if (worker === undefined) throw new Fault('bug/attempt', `there is no attempt ${attempt}`)
      const events = journal.lines.map(({ body }) => body)
      const start = roundStart(events, attempt, prepared.base)
      const leftMs = timeLeftMs(deps, attempt)
      const began = workshop.now().getTime()
      const delivery = await worker.work(
        { attempt, round, ...start, ...(leftMs === undefined ? {} : { leftMs }) },
        signal,
      )
      const isSpent = leftMs !== undefined && workshop.now().getTime() - began >= leftMs
      return { type: 'delivered', attempt, round, ...delivery, ...(isSpent ? { spent: true } : {}) }
    },
    open: (attempt, _round, signal) =>
      openDelivery(lastEvent(journal, 'delivered', attempt), prepared, workshop, blobs, signal),
    async grade({ attempt, round, fresh }, signal) {
      const { tree } = lastEvent(journal, 'opened', attempt)
      if (tree === undefined) throw new Fault('bug/no-tree', `attempt ${attempt} has no tree to grade`)
      return { type: 'graded', attempt, round, ...(await gradeTree(tree, signal, fresh === true)) }
    },
    async regrade({ attempt, tree }, signal) {
      return { type: 'regraded', attempt, tree, ...(await gradeTree(tree, signal, false)) }
    },
    compare: async (attempts, signal) => {
      const sealed = await sealedOf(deps)
      return grading.add(() => compareAttempts(deps, attempts, sealed, signal), { signal })
    },
    ...landingActions(deps),
    async feedback({ attempt, round, failed, of }, signal) {
      const { feedbackQuantumMs } = prepared.loaded.task.policy
      const delivered = journal.lines.findLast(
        ({ body }) => body.type === 'delivered' && body.attempt === attempt,
      )
      const deliveredMs = Date.parse(delivered?.at ?? '')
      await sleep(feedbackDelayMs(deliveredMs, workshop.now().getTime(), feedbackQuantumMs), undefined, {
        signal,
      })
      return { type: 'feedback-given', attempt, round, failed, of }
    },
  }

  async function gradeTree(tree: TreeId, signal: AbortSignal, fresh: boolean) {
    const sealed = await sealedOf(deps)
    const { grade, cached } = await grading.add(
      () => gradeOutput(sealed, tree, prepared, deps.examiner, workshop, signal, { fresh }),
      { signal },
    )
    return { ...gradeFacts(grade), grade: await blobs.put(JSON.stringify(grade)), cached }
  }
}

/** What is left of an attempt's time, at least a second so that its worker can say that there is none. */
function timeLeftMs({ prepared, journal }: ActionDeps, attempt: number): number | undefined {
  const { attemptTimeoutMs } = prepared.loaded.task.policy
  if (attemptTimeoutMs === undefined) return undefined
  return Math.max(1000, attemptTimeoutMs - attemptTimeMs(journal.lines, attempt))
}

/** The sealed set of the run, checked against the seal that the journal names. */
async function sealedOf({ directory, journal, prepared, examiner }: ActionDeps): Promise<Sealed> {
  return readSealed(runPaths(directory).sealed, {
    seal: sealOf(journal),
    request: prepared.loaded.requestDigest,
    base: prepared.base,
    image: prepared.product.id,
    runner: examiner.runner,
  })
}

async function seal(
  deps: ActionDeps,
  report: (event: EventBody) => void,
  signal: AbortSignal,
): Promise<EventBody> {
  const { run, prepared, examiner, workshop, blobs, note, directory } = deps
  // A program as oracle is asked anew for every run; a set that was written beforehand is the same one.
  const reuse = prepared.loaded.task.oracle.kind === 'files'
  const outcome = await obtainSeal(
    run,
    prepared,
    examiner,
    workshop,
    {
      note,
      signal,
      onTry: async ({ try: number, outcome: result, reasons, log }) => {
        const kept =
          log === undefined && reasons.length === 0 ? {} : { log: await blobs.put(tryText(reasons, log)) }
        report({ type: 'oracle-tried', try: number, outcome: result, reasons: reasons.length, ...kept })
      },
    },
    { reuse },
  )
  if (outcome.kind === 'not-admitted') {
    return { type: 'not-sealed', reasons: outcome.reasons.slice(0, 100), gap: outcome.gap }
  }
  await writeSealed(runPaths(directory).sealed, outcome)
  return sealedEvent(outcome.seal)
}

/** The seal that the journal names: what grades is compared with it, whatever stands in the directory. */
function sealOf({ lines }: Journal): string {
  const body = lines.findLast((line) => line.body.type === 'sealed')?.body
  if (body?.type !== 'sealed') throw new Fault('bug/journal', 'a tree is graded before anything was sealed')
  return body.seal
}

function tryText(reasons: readonly string[], log: string | undefined): string {
  return `${reasons.map((reason) => `- ${reason}\n`).join('')}${log === undefined ? '' : `--- log\n${log}\n`}`
}
