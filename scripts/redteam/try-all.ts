import PQueue from 'p-queue'
import type { Workshop } from '../../engine/workshop.ts'
import { resultOf, type Question, type Result } from './result.ts'
import { trySeed } from './try-seed.ts'

/** Grades under way at once: each keeps a core busy and waits for the engine now and then. */
const AT_ONCE = 3

/**
 * Tries seeds, several at once. The first of each task and mechanism goes before: it makes the
 * seal that all others are graded with.
 * @returns results in the order of the questions.
 */
export async function tryAll(
  workshop: Workshop,
  questions: readonly Question[],
  onResult: (result: Result) => void,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const firsts = [
    ...Map.groupBy(questions, ({ seed, mechanism }) => `${seed.task} ${mechanism}`).values(),
  ].map(([first]) => first)
  const results = new Map<Question, Result>()
  const ask = async (question: Question) => {
    const result = resultOf(question, await trySeed(workshop, question.seed, question, signal))
    results.set(question, result)
    onResult(result)
  }
  const queue = new PQueue({ concurrency: AT_ONCE })
  await queue.addAll(
    firsts.flatMap((one) => (one === undefined ? [] : [() => ask(one)])),
    { signal },
  )
  await queue.addAll(
    questions.filter((one) => !results.has(one)).map((one) => () => ask(one)),
    { signal },
  )
  return questions.flatMap((one) => results.get(one) ?? [])
}
