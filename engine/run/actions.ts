import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Examiner } from '../../specs/examiner.ts'
import { Fault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import { gradeOutput } from '../grade/grade-output.ts'
import type { Blobs } from '../journal/blobs.ts'
import type { Journal } from '../journal/journal.ts'
import { gradedEvent, sealedEvent } from '../pure/event-facts.ts'
import { feedbackDelayMs } from '../pure/feedback-time.ts'
import { roundStart } from '../pure/round-start.ts'
import { obtainSeal } from '../seal/obtain-seal.ts'
import { readSealed, writeSealed } from '../seal/sealed-directory.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import type { Worker } from '../workers/worker.ts'
import type { Workshop } from '../workshop.ts'
import type { Actions } from './loop.ts'
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
      const delivery = await worker.work({ attempt, round, ...start }, signal)
      return { type: 'delivered', attempt, round, ...delivery }
    },
    open: (attempt, _round, signal) =>
      openDelivery(last(journal, 'delivered', attempt), prepared, workshop, blobs, signal),
    async grade(attempt, round, signal) {
      const { tree } = last(journal, 'opened', attempt)
      if (tree === undefined) throw new Fault('bug/no-tree', `attempt ${attempt} has no tree to grade`)
      const sealed = await readSealed(runPaths(deps.directory).sealed, {
        seal: sealOf(journal),
        request: prepared.loaded.requestDigest,
        base: prepared.base,
        image: prepared.product.id,
        runner: deps.examiner.runner,
      })
      const { grade, cached } = await grading.add(
        () => gradeOutput(sealed, tree, prepared, deps.examiner, workshop, signal),
        { signal },
      )
      return gradedEvent(grade, {
        attempt,
        round,
        grade: await blobs.put(JSON.stringify(grade)),
        cached,
      })
    },
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

function last<T extends EventBody['type']>(
  journal: Journal,
  type: T,
  attempt: number,
): Extract<EventBody, { type: T }> {
  for (const { body } of journal.lines.toReversed()) {
    if (body.type === type && 'attempt' in body && body.attempt === attempt) {
      return body as Extract<EventBody, { type: T }>
    }
  }
  throw new Fault('bug/journal', `attempt ${attempt} has no event ${type}`)
}

function tryText(reasons: readonly string[], log: string | undefined): string {
  return `${reasons.map((reason) => `- ${reason}\n`).join('')}${log === undefined ? '' : `--- log\n${log}\n`}`
}
