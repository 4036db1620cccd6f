import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Fault } from '../../specs/fault.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import type { Policy } from '../../specs/policy.ts'
import { Journal } from '../journal/journal.ts'
import { replayDecisions } from '../pure/replay-decisions.ts'
import {
  COMMIT,
  compared,
  delivered,
  graded,
  merged,
  opened,
  regraded,
  sealed,
  started,
} from '../testing/events.ts'
import type { Actions } from './decided-work.ts'
import { runLoop } from './loop.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-loop-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Actions whose outcomes are given; what is not given succeeds at once. */
function actions(given: Partial<Actions> = {}): Actions {
  return {
    seal: () => Promise.resolve(sealed),
    start: (attempt, round) => Promise.resolve(delivered(attempt, round)),
    open: (attempt, round) => Promise.resolve(opened(attempt, round)),
    grade: ({ attempt, round }) => Promise.resolve(graded(attempt, 'verified', round)),
    feedback: ({ attempt, round, failed, of }) =>
      Promise.resolve({ type: 'feedback-given', attempt, round, failed, of }),
    compare: (attempts) => Promise.resolve(compared(attempts, 0)),
    merge: (attempt) => Promise.resolve(merged(attempt)),
    regrade: ({ attempt, tree }) => Promise.resolve(regraded(attempt, tree, 'verified')),
    commit: ({ attempt, tree, tip }) =>
      Promise.resolve({ type: 'committed', attempt, tree, tip, commit: COMMIT }),
    land: ({ attempt, commit }) => Promise.resolve({ type: 'landed', attempt, commit }),
    ...given,
  }
}

function newJournal(policy: Partial<Policy>, attempts: number): Journal {
  const journal = Journal.create(join(folder, 'journal.jsonl'), () => new Date('2026-01-01T00:00:00Z'))
  journal.append(started(policy, attempts))
  return journal
}

async function run(journal: Journal, given: Partial<Actions>, signal = new AbortController().signal) {
  const state = await runLoop({ journal, actions: actions(given), onEvent: () => undefined, signal })
  expect(replayDecisions(journal.lines).divergence).toBeUndefined()
  return state
}

const types = (journal: Journal) =>
  journal.lines.map(({ body }) => (body.type === 'decided' ? `decided ${body.decision.do}` : body.type))

describe('runLoop', () => {
  it('writes each intent before its outcome and ends with the decision that ends the run', async () => {
    const journal = newJournal({}, 1)
    const state = await run(journal, {})
    expect(state.end).toEqual({ outcome: 'completed', attempt: 1 })
    const events = types(journal)
    for (const [intent, outcome] of [
      ['decided seal', 'sealed'],
      ['decided start', 'delivered'],
      ['decided open', 'opened'],
      ['decided grade', 'graded'],
    ] as const) {
      expect(events.indexOf(intent)).toBeLessThan(events.indexOf(outcome))
    }
    expect(events.at(-1)).toBe('decided complete')
  })

  it('lets worker and oracle work side by side, and opens nothing before the seal', async () => {
    let release: (event: EventBody) => void = () => undefined
    const journal = newJournal({}, 1)
    const running = run(journal, { seal: () => new Promise((resolve) => (release = resolve)) })
    await sleep(20)
    expect(types(journal)).toContain('delivered')
    expect(types(journal)).not.toContain('decided open')
    release(sealed)
    await running
  })

  it('tries again what the infrastructure failed, and holds the run when it keeps failing', async () => {
    let calls = 0
    const grade = () => {
      calls += 1
      return Promise.reject(new Fault('infra/engine', 'the engine went away'))
    }
    const state = await run(newJournal({ infraRetries: 2 }, 1), { grade })
    expect(calls).toBe(3)
    expect(state.end).toMatchObject({ outcome: 'held', decision: { cause: 'infrastructure' } })
  })

  it('counts an engine that fails once and then works against nobody', async () => {
    let calls = 0
    const grade = ({ attempt, round }: { attempt: number; round: number }) => {
      calls += 1
      return calls === 1
        ? Promise.reject(new Fault('infra/engine', 'x'))
        : Promise.resolve(graded(attempt, 'verified', round))
    }
    const state = await run(newJournal({}, 1), { grade })
    expect(state.end).toEqual({ outcome: 'completed', attempt: 1 })
  })

  it('stops the losers of a race and waits until they are gone', async () => {
    const stopped: number[] = []
    const start = async (attempt: number, round: number, signal: AbortSignal) => {
      if (attempt === 1) return delivered(attempt, round)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await sleep(10)
      stopped.push(attempt)
      throw new Error('aborted')
    }
    const journal = newJournal({ race: 'first' }, 3)
    const state = await run(journal, { start })
    expect(state.end).toEqual({ outcome: 'completed', attempt: 1 })
    expect(stopped.sort()).toEqual([2, 3])
    expect(types(journal).filter((type) => type === 'stopped')).toHaveLength(2)
  })

  it('gives feedback and another round, and counts its bits', async () => {
    const grade = ({ attempt, round }: { attempt: number; round: number }) =>
      Promise.resolve(graded(attempt, round === 1 ? 'refuted' : 'verified', round))
    const state = await run(newJournal({}, 1), { grade })
    expect(state.end).toEqual({ outcome: 'completed', attempt: 1 })
    expect(state.bitsSpent).toBe(2)
  })

  it('ends what is under way when it is interrupted, writes no end, and can go on later', async () => {
    const interrupt = new AbortController()
    const journal = newJournal({}, 1)
    const start = (_attempt: number, _round: number, signal: AbortSignal) =>
      new Promise<EventBody>((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      )
    const running = runLoop({
      journal,
      actions: actions({ start }),
      onEvent: () => undefined,
      signal: interrupt.signal,
    })
    await sleep(10)
    interrupt.abort()
    await expect(running).rejects.toMatchObject({ code: 'interrupted/aborted' })
    journal.append({ type: 'resumed', reason: 'test' })
    const state = await run(journal, {})
    expect(state.end).toEqual({ outcome: 'completed', attempt: 1 })
  })

  it('holds the run for a person when the check set cannot be used: at its sealing, or later', async () => {
    const fault = new Fault('oracle/judge', 'judge.mjs: threw on base')
    const atSeal = await run(newJournal({}, 2), { seal: () => Promise.reject(fault) })
    const held = { cause: 'not-sealed', gap: 'spec', missing: fault.message }
    expect(atSeal.end).toMatchObject({ outcome: 'held', decision: held })
    rmSync(join(folder, 'journal.jsonl'))
    const atGrade = await run(newJournal({}, 2), { grade: () => Promise.reject(fault) })
    expect(atGrade.end).toMatchObject({ outcome: 'held', decision: held })
  })

  it.each([
    ['an outcome', 'delivered'],
    ['a report on the way', 'oracle-tried'],
    ['a decision', 'decided'],
    ['that an attempt stopped', 'stopped'],
  ])('ends everything before it throws when %s cannot be told', async (_, told) => {
    let underWay = 0
    const busy = async (signal: AbortSignal): Promise<EventBody> => {
      underWay += 1
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await sleep(20)
      underWay -= 1
      return delivered(2)
    }
    const start = (attempt: number, _round: number, signal: AbortSignal) =>
      attempt === 1 ? sleep(5).then(() => delivered(1)) : busy(signal)
    const seal = (report: (event: EventBody) => void) => {
      report({ type: 'oracle-tried', try: 1, outcome: 'admitted', reasons: 0 })
      return Promise.resolve(sealed)
    }
    const onEvent = ({ body, seq }: JournalLine) => {
      if (body.type === told && seq > 1) throw new Error('nobody listens')
    }
    const journal = newJournal({ race: 'first' }, 2)
    const { signal } = new AbortController()
    const running = runLoop({ journal, actions: actions({ start, seal }), onEvent, signal })
    await expect(running).rejects.toMatchObject({ code: 'bug/unexpected', message: 'nobody listens' })
    expect(underWay).toBe(0)
    journal.close()
    // Whatever was late would have thrown into nowhere by now, which the test runner tells.
    await sleep(30)
  })

  it('throws what the disk said, not what came after, when the journal cannot be written', async () => {
    const journal = newJournal({}, 1)
    journal.close()
    await expect(run(journal, {})).rejects.toMatchObject({ code: 'bug/journal-closed' })
  })

  it('stops everything and throws when an action fails in another way', async () => {
    const open = () => Promise.reject(new Fault('config/patch', 'a.diff: the patch cannot be read'))
    await expect(run(newJournal({}, 2), { open })).rejects.toMatchObject({ code: 'config/patch' })
  })
})
