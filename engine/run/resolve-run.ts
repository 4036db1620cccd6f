import { basename } from 'node:path'
import { Fault } from '../../specs/fault.ts'
import type { EventBody } from '../../specs/journal.ts'
import { decide } from '../decide.ts'
import { Journal } from '../journal/journal.ts'
import { evolve, fold } from '../state.ts'
import type { HoldDecision } from '../state/run-state.ts'
import { isAcceptable, needsChoice } from '../state/resolve.ts'
import type { Workshop } from '../workshop.ts'
import { findRun, readRunDirectory, runPaths, type RecordedRun } from './read-run.ts'
import { holdAlone } from './run-lock.ts'
import { goOn, type FinishedRun, type Watch } from './run-task.ts'

/** A person's answer to a hold. */
export interface Answer {
  readonly how: 'accept' | 'reject' | 'retry'
  /** Whose output is meant, where several could be. */
  readonly attempt?: number
  readonly reason: string
  readonly by: string
}

/**
 * Records a person's answer to a held run and goes on as `decide` says. Where nothing is left to do, nothing is needed of
 * the machine: a run can be rejected, or accepted without landing, where no engine answers.
 * @throws Fault `config/held` when the run is not held, or the answer means nothing for its cause; `config/run-busy`.
 */
export async function resolveRun(
  workshop: Workshop,
  run: string,
  answer: Answer,
  watch: Watch,
): Promise<FinishedRun> {
  const directory = await findRun(workshop.state, run)
  const letGo = holdAlone(directory, `run ${basename(directory)}`)
  try {
    const recorded = await readRunDirectory(directory)
    const event = answerEvent(recorded, answer)
    const state = evolve(fold(recorded.lines.map(({ body }) => body)), event)
    const decision = decide(state)
    if (!['complete', 'refute', 'hold'].includes(decision.do)) {
      return await goOn(workshop, directory, watch, { begin: event })
    }
    const journal = Journal.open(runPaths(directory).journal, workshop.now)
    try {
      watch.onEvent(journal.append(event), state)
      const decided: EventBody = { type: 'decided', decision }
      watch.onEvent(journal.append(decided), evolve(state, decided))
    } finally {
      journal.close()
    }
    return { report: (await readRunDirectory(directory)).report, directory }
  } finally {
    letGo()
  }
}

function answerEvent(
  { report, lines }: RecordedRun,
  answer: Answer,
): Extract<EventBody, { type: 'resolved' }> {
  const { outcome, run } = report
  if (outcome?.outcome !== 'held') {
    const is = outcome === undefined ? 'not finished: `assay run --resume` goes on with it' : outcome.outcome
    throw new Fault('config/held', `run ${run}: expected a run that is held; it is ${is}`)
  }
  const { how, reason, by } = answer
  const { cause } = outcome.decision
  if (reason.trim() === '') throw new Fault('config/held', '--reason: expected a text')
  if (how === 'accept') requireAcceptable(outcome.decision, run, answer, lines)
  const attempt = answer.attempt ?? outcome.decision.attempt
  return { type: 'resolved', how, cause, ...(attempt === undefined ? {} : { attempt }), reason, by }
}

function requireAcceptable(
  { cause, attempt }: HoldDecision,
  run: string,
  answer: Answer,
  lines: RecordedRun['lines'],
): void {
  if (!isAcceptable(cause)) {
    const why = `run ${run} is held for ${cause}, and there is nothing to accept: expected --retry or --reject`
    throw new Fault('config/held', why)
  }
  if (needsChoice(cause)) {
    const compared = lines.findLast(({ body }) => body.type === 'compared')?.body
    const choices = compared?.type === 'compared' ? compared.attempts : []
    if (answer.attempt === undefined || !choices.includes(answer.attempt)) {
      throw new Fault(
        'config/held',
        `--attempt: expected one of ${choices.join(', ')}, the outputs to choose from`,
      )
    }
  } else if (answer.attempt !== undefined && answer.attempt !== attempt) {
    throw new Fault('config/held', `--attempt: run ${run} is held for attempt ${attempt ?? 'none'}`)
  }
}
