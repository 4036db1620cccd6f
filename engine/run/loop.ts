import { Fault, toFault } from '../../specs/fault.ts'
import type { Decision } from '../../specs/decision.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { decide } from '../decide.ts'
import type { Journal } from '../journal/journal.ts'
import { evolve, fold, type RunState } from '../state.ts'
import { laneOf, workOf, type Actions, type DecidedWork } from './decided-work.ts'

export interface LoopOptions {
  readonly journal: Journal
  readonly actions: Actions
  readonly onEvent: (line: JournalLine, state: RunState) => void
  /** Ends it now: what is under way is cut off. */
  readonly signal: AbortSignal
  /** Ends it when what is under way has come to its outcome. */
  readonly drain?: AbortSignal | undefined
  /** Done around every work that a decision started; throws what the work threw. */
  readonly around?: (work: () => Promise<EventBody>, signal: AbortSignal) => Promise<EventBody>
}

const plainly = (work: () => Promise<EventBody>): Promise<EventBody> => work()

/** Work that a decision started. */
interface UnderWay {
  readonly stop: AbortController
  /** Never rejects: what goes wrong ends the loop in order. */
  readonly settled: Promise<void>
}

/**
 * Fold, decide, write the intent, act, write the outcome; until nothing is left to decide.
 *
 * Invariant: between `decide` and the append of its decision nothing else is appended (both happen in one turn of the
 * event loop), so re-folding the journal up to any `decided` event and deciding again gives the same decision. And
 * nothing runs any longer when this is through, however it ends, so the journal can be closed.
 * @returns the state of the finished or held run.
 * @throws Fault `interrupted/…` when `signal` or `drain` aborts (the run can be resumed), `config/…` or `bug/…` from an
 * action.
 */
export async function runLoop(options: LoopOptions): Promise<RunState> {
  const { journal, actions, onEvent, signal, drain, around = plainly } = options
  let state = fold(journal.lines.map(({ body }) => body))
  const underWay = new Map<string, UnderWay>()
  let fatal: Fault | undefined

  const emit = (body: EventBody) => {
    const line = journal.append(body)
    state = evolve(state, body)
    onEvent(line, state)
  }

  /** What throws ends the run in order. */
  const attemptTo = <T>(step: () => T): T | undefined => {
    try {
      return step()
    } catch (error) {
      fatal ??= toFault(error)
      return undefined
    }
  }

  const launch = ({ lane, work, failed }: DecidedWork) => {
    const stop = new AbortController()
    const both = AbortSignal.any([signal, stop.signal])
    const settle = async () => {
      const outcome = await Promise.try(() => around(() => work(both), both))
        .catch((error: unknown) => {
          const told = failed(toFault(error))
          if (told === undefined) throw error
          return told
        })
        .catch(toFault)
      // In one turn: whoever looks sees the work under way, or its outcome.
      underWay.delete(lane)
      if (both.aborted) return
      if (outcome instanceof Fault) fatal ??= outcome
      else attemptTo(() => emit(outcome))
    }
    underWay.set(lane, { stop, settled: settle() })
  }

  const stopAttempt = (attempt: number) => {
    const busy = underWay.get(laneOf(attempt))
    busy?.stop.abort(new Fault('interrupted/stopped', 'the attempt was stopped'))
    const lane = `stop ${attempt}`
    const settle = async () => {
      await busy?.settled
      underWay.delete(lane)
      if (!signal.aborted) attemptTo(() => emit({ type: 'stopped', attempt }))
    }
    underWay.set(lane, { stop: new AbortController(), settled: settle() })
  }

  const act = (decision: Exclude<Decision, { do: 'wait' }>) => {
    if (decision.do === 'stop') {
      stopAttempt(decision.attempt)
      return
    }
    const work = workOf(decision, actions, emit)
    if (work !== undefined) launch(work)
  }

  // A function: what settles in between is seen.
  const isOver = () => fatal !== undefined || signal.aborted || drain?.aborted === true
  const step = (): 'again' | 'wait' => {
    const decision = decide(state)
    if (decision.do === 'wait') return 'wait'
    emit({ type: 'decided', decision })
    act(decision)
    return 'again'
  }

  // A signal outlives the run, and many runs may listen to it: the listener goes with the loop.
  const listening = new AbortController()
  const drained = new Promise<void>((resolve) =>
    drain?.addEventListener('abort', () => resolve(), { once: true, signal: listening.signal }),
  )
  while (!isOver()) {
    if (attemptTo(step) !== 'wait') continue
    if (underWay.size === 0) break
    await Promise.race([...[...underWay.values()].map(({ settled }) => settled), drained])
  }

  const isCutOff = () => fatal !== undefined || signal.aborted
  while (!isCutOff() && underWay.size > 0) {
    await Promise.race([...underWay.values()].map(({ settled }) => settled))
  }
  listening.abort()
  for (const { stop } of underWay.values()) stop.abort(fatal ?? signal.reason)
  await Promise.all([...underWay.values()].map(({ settled }) => settled))
  if (fatal !== undefined) throw fatal
  if (signal.aborted) throw new Fault('interrupted/aborted', 'interrupted', { cause: signal.reason })
  if (state.end === undefined && drain?.aborted === true)
    throw new Fault('interrupted/drained', 'interrupted, what was under way has come to its outcome')
  if (state.end === undefined)
    throw new Fault('bug/stuck', 'the run is not finished and nothing is under way')
  return state
}
