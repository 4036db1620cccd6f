import { randomBytes } from 'node:crypto'
import { BoxExaminer } from '../../grader/examiner.ts'
import { boxLimits, PRODUCT_LIMITS } from '../pure/box-limits.ts'
import { runId } from '../run/run-id.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import type { Workshop } from '../workshop.ts'

/** The examiner of a task: product boxes in its image, under its limits. */
export function openExaminer(run: string, prepared: PreparedTask, workshop: Workshop): BoxExaminer {
  const { task } = prepared.loaded
  return new BoxExaminer({
    sandbox: workshop.sandbox,
    trees: workshop.store,
    runId: run,
    productImage: prepared.product.id,
    judgeImage: () => Promise.resolve(prepared.judge.id),
    limits: productLimits(prepared),
    workdir: task.workdir,
    ...(workshop.runtime === undefined ? {} : { runtime: workshop.runtime }),
  })
}

/** Lets `use` work with an examiner; when it is done, well or not, nothing of it is left on the engine. */
export async function withExaminer<T>(
  prepared: PreparedTask,
  workshop: Workshop,
  use: (examiner: BoxExaminer, run: string) => Promise<T>,
  run: string = runId(workshop.now(), randomBytes(2)),
): Promise<T> {
  const examiner = openExaminer(run, prepared, workshop)
  try {
    return await use(examiner, run)
  } finally {
    // What could not be removed now is an orphan that the next command removes.
    await examiner.close().catch(() => undefined)
    await workshop.sandbox.reap({ run }).catch(() => undefined)
  }
}

/** Limits of a task's product boxes. */
export function productLimits({ loaded }: PreparedTask) {
  return boxLimits(PRODUCT_LIMITS, loaded.task.limits.product)
}
