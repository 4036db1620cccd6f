import { BoxExaminer } from '../../grader/examiner.ts'
import { boxLimits, PRODUCT_LIMITS } from '../pure/box-limits.ts'
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

/** Limits of a task's product boxes. */
export function productLimits({ loaded }: PreparedTask) {
  return boxLimits(PRODUCT_LIMITS, loaded.task.limits.product)
}
