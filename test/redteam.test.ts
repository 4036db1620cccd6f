import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkshop, type Workshop } from '../engine/workshop.ts'
import { makeTestStore } from '../images/test-store.ts'
import { readSeeds } from '../scripts/redteam/read-seeds.ts'
import { isInHalf, questionsOf, type Question } from '../scripts/redteam/result.ts'
import { firstsOf, tryOne } from '../scripts/redteam/try-all.ts'
import { TESTS_ALL } from './support/tests-all.ts'

/** The fixed half of the red team, each attack on a wrong and on a right fix; all of it with `./scripts/test --all`. */
const signal = new AbortController().signal
const { attacks, lookAlikes } = readSeeds()
const questions = questionsOf(attacks, lookAlikes).filter((one) => TESTS_ALL || isInHalf(one))
let workshop: Workshop
let store: Awaited<ReturnType<typeof makeTestStore>>

const ask = (question: Question) => tryOne(workshop, question, signal)

beforeAll(async () => {
  store = await makeTestStore(['node', 'python', 'judge', 'worker'])
  workshop = await openWorkshop({ stateRoot: store.deps.stateDir })
  await Promise.all(firstsOf(questions).map(ask))
})
afterAll(async () => {
  await store.remove()
})

describe('the red team', { timeout: 300_000 }, () => {
  it.concurrent.each(questions.map((question) => [nameOf(question), question] as const))(
    '%s',
    async (_name, question) => {
      const { got, expected, because, ok } = await ask(question)
      expect(ok, `${got}, expected ${expected.join(' or ')}: ${because.join('; ')}`).toBe(true)
    },
  )
})

function nameOf({ seed, side, mechanism, byDefault }: Question): string {
  return `${seed.id} on ${side} by ${mechanism}${byDefault === true ? ', default policy' : ''}`
}
