import { Fault, faultFamily, isRetryable, toFault } from '../../specs/fault.ts'
import type { Decision } from '../../specs/decision.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { decide } from '../decide.ts'
import type { Journal } from '../journal/journal.ts'
import { ofInfrastructure, recordedFault, type FailedEvent } from '../pure/recorded-fault.ts'
import { evolve, fold, type RunState } from '../state.ts'

/**
 * What decisions lead to. Each does its work and returns the outcome event; it throws `Fault('infra/…')` when the
 * infrastructure failed. `report` writes events on the way.
 */
export interface Actions {
  seal(report: (event: EventBody) => void, signal: AbortSignal): Promise<EventBody>
  start(attempt: number, round: number, signal: AbortSignal): Promise<EventBody>
  open(attempt: number, round: number, signal: AbortSignal): Promise<EventBody>
  grade(attempt: number, round: number, signal: AbortSignal): Promise<EventBody>
  feedback(decision: Extract<Decision, { do: 'feedback' }>, signal: AbortSignal): Promise<EventBody>
}

export interface LoopOptions {
  readonly journal: Journal
  readonly actions: Actions
  readonly onEvent: (line: JournalLine, state: RunState) => void
  readonly signal: AbortSignal
}

/** Work that a decision started; `attempt` 0 is the oracle's. */
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
 * @returns the state of the finished run.
 * @throws Fault `interrupted/…` when `signal` aborts (the run can be resumed), `config/…` or `bug/…` from an action.
 */
export async function runLoop({ journal, actions, onEvent, signal }: LoopOptions): Promise<RunState> {
  let state = fold(journal.lines.map(({ body }) => body))
  const underWay = new Map<number, UnderWay>()
  let fatal: Fault | undefined

  const emit = (body: EventBody) => {
    const line = journal.append(body)
    state = evolve(state, body)
    onEvent(line, state)
  }

  const launch = (
    attempt: number,
    work: (signal: AbortSignal) => Promise<EventBody>,
    failed: FailedEvent,
  ) => {
    const stop = new AbortController()
    const both = AbortSignal.any([signal, stop.signal])
    const settle = async () => {
      const outcome = await Promise.try(() => work(both))
        .catch((error: unknown) => {
          const told = failed(toFault(error))
          if (told === undefined) throw error
          return told
        })
        .catch(toFault)
      // In one turn: whoever looks sees the work under way, or its outcome.
      underWay.delete(attempt)
      if (both.aborted) return
      if (outcome instanceof Fault) fatal ??= outcome
      else attemptTo(() => emit(outcome))
    }
    underWay.set(attempt, { stop, settled: settle() })
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

  const act = (decision: Exclude<Decision, { do: 'wait' }>) => {
    switch (decision.do) {
      case 'seal':
        launch(0, (end) => actions.seal(emit, end), sealFailed)
        return
      case 'start': {
        const { attempt, round } = decision
        launch(
          attempt,
          (end) => actions.start(attempt, round, end),
          ofInfrastructure((fault) => ({ type: 'work-failed', attempt, round, fault })),
        )
        return
      }
      case 'open': {
        const { attempt, round } = decision
        launch(
          attempt,
          (end) => actions.open(attempt, round, end),
          ofInfrastructure((fault) => ({ type: 'open-failed', attempt, round, fault })),
        )
        return
      }
      case 'grade': {
        const { attempt, round } = decision
        launch(
          attempt,
          (end) => actions.grade(attempt, round, end),
          (fault) =>
            isRetryable(fault.code) || isOfOracle(fault)
              ? { type: 'grade-failed', attempt, round, fault: recordedFault(fault) }
              : undefined,
        )
        return
      }
      case 'feedback': {
        const { attempt, round, failed, of } = decision
        // Its bits were counted with the intent, so a reply that could not be waited for counts as given.
        const given = { type: 'feedback-given', attempt, round, failed, of } as const
        launch(
          attempt,
          (end) => actions.feedback(decision, end),
          ofInfrastructure(() => given),
        )
        return
      }
      case 'stop': {
        const { attempt } = decision
        const busy = underWay.get(attempt)
        busy?.stop.abort(new Fault('interrupted/stopped', 'the attempt was stopped'))
        const settle = async () => {
          await busy?.settled
          underWay.delete(-attempt)
          if (!signal.aborted) attemptTo(() => emit({ type: 'stopped', attempt }))
        }
        underWay.set(-attempt, { stop: new AbortController(), settled: settle() })
        return
      }
      case 'complete':
      case 'refute':
      case 'hold':
        return
    }
  }

  // A function: what settles in between is seen.
  const isOver = () => fatal !== undefined || signal.aborted
  const step = (): 'again' | 'wait' => {
    const decision = decide(state)
    if (decision.do === 'wait') return 'wait'
    emit({ type: 'decided', decision })
    act(decision)
    return 'again'
  }

  while (!isOver()) {
    if (attemptTo(step) !== 'wait') continue
    if (underWay.size === 0) break
    await Promise.race([...underWay.values()].map(({ settled }) => settled))
  }

  for (const { stop } of underWay.values()) stop.abort(fatal ?? signal.reason)
  await Promise.all([...underWay.values()].map(({ settled }) => settled))
  if (fatal !== undefined) throw fatal
  if (signal.aborted) throw new Fault('interrupted/aborted', 'interrupted', { cause: signal.reason })
  if (state.end === undefined)
    throw new Fault('bug/stuck', 'the run is not finished and nothing is under way')
  return state
}

/** A set that cannot be used goes to a person; an engine that failed is asked again. */
function sealFailed(fault: Fault): EventBody | undefined {
  if (isOfOracle(fault)) return { type: 'not-sealed', reasons: [recordedFault(fault).message], gap: 'spec' }
  return ofInfrastructure((told) => ({ type: 'seal-failed', fault: told }))(fault)
}

function isOfOracle({ code }: Fault): boolean {
  return faultFamily(code) === 'oracle'
}
