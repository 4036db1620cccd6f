import PQueue from 'p-queue'
import type { Workshop } from '../../engine/workshop.ts'
import { resultOf, type Question, type Result } from './result.ts'
import { trySeed } from './try-seed.ts'

/** Grades under way at once: each keeps a core busy and waits for the engine now and then. */
const AT_ONCE = 3

/** One question of each task and mechanism: it makes the seal that all others are graded with, so it goes before them. */
export function firstsOf(questions: readonly Question[]): readonly Question[] {
  const byTask = Map.groupBy(questions, ({ seed, mechanism }) => `${seed.task} ${mechanism}`)
  return [...byTask.values()].flatMap(([first]) => first ?? [])
}

/** Tries one seed as a question says, and judges what came of it. */
export async function tryOne(workshop: Workshop, question: Question, signal: AbortSignal): Promise<Result> {
  return resultOf(question, await trySeed(workshop, question.seed, question, signal))
}

/**
 * Tries seeds, several at once, {@link firstsOf} first.
 * @returns results in the order of the questions.
 */
export async function tryAll(
  workshop: Workshop,
  questions: readonly Question[],
  onResult: (result: Result) => void,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const results = new Map<Question, Result>()
  const ask = async (question: Question) => {
    const result = await tryOne(workshop, question, signal)
    results.set(question, result)
    onResult(result)
  }
  const queue = new PQueue({ concurrency: AT_ONCE })
  await queue.addAll(
    firstsOf(questions).map((one) => () => ask(one)),
    { signal },
  )
  await queue.addAll(
    questions.filter((one) => !results.has(one)).map((one) => () => ask(one)),
    { signal },
  )
  return questions.flatMap((one) => results.get(one) ?? [])
}
