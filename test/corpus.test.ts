import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../engine/workshop.ts'
import { changesOf, corpusTasks, gradeCorpus } from '../scripts/corpus-grades.ts'
import { makeTestStore } from '../images/test-store.ts'

/**
 * Every tree of the corpus: base is not verified, the published fix and another right one are (unless the table says
 * which sentence the published fix breaks), no wrong one is. One run of each row, and without the authors' trials:
 * `npm run corpus` does everything.
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

describe.each(corpusTasks())('%s', (task) => {
  it.each(changesOf(task).map((change) => [change.what, change.expect, change] as const))(
    '%s is %s',
    async (_what, _expect, change) => {
      const { ok, got, because } = await gradeCorpus(workshop, task, change, signal, QUICK)
      expect(ok, `${got}: ${because.join('; ')}`).toBe(true)
    },
  )
})
