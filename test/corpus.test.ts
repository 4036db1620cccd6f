import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../engine/workshop.ts'
import { changesOf, corpusTasks, gradeCorpus } from '../scripts/corpus-grades.ts'
import { makeTestStore } from '../images/test-store.ts'
import { partOf } from './support/tests-all.ts'

/**
 * Every tree of the corpus: base is not verified, the published fix and another right one are (unless the table says
 * which sentence the published fix breaks), no wrong one is. One run of each row, and without the authors' trials. A fixed
 * part of the tasks, every eighth one by name; all of them with `./scripts/test --all`. `npm run corpus` does everything.
 */
const QUICK = { admissionRuns: 2, repeats: 1, trialRuns: 0 }
const signal = new AbortController().signal
let workshop: Workshop
let store: Awaited<ReturnType<typeof makeTestStore>>

beforeAll(async () => {
  // A state directory of its own: no grade is taken from an earlier run.
  store = await makeTestStore(['node', 'python', 'judge'])
  workshop = await openWorkshop({ stateRoot: store.deps.stateDir })
})
afterAll(async () => {
  await store.remove()
})

describe('the corpus', { timeout: 900_000 }, () => {
  it.concurrent.each(partOf(corpusTasks(), 8, 5))('%s', async (task) => {
    const surprises: string[] = []
    // One after the other: the first makes the seal that all of them are graded with.
    for (const change of changesOf(task)) {
      const {
        what,
        ok,
        got,
        expect: expected,
        because,
      } = await gradeCorpus(workshop, task, change, signal, QUICK)
      if (!ok) surprises.push(`${what}: ${got}, expected ${expected}: ${because.join('; ')}`)
    }
    expect(surprises).toEqual([])
  })
})
