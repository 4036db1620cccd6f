import { gradeKey, gradeTree } from '../../grader/grade.ts'
import type { TreeId } from '../../specs/digest.ts'
import { digestOf } from '../../specs/digest.ts'
import type { Examiner } from '../../specs/examiner.ts'
import { gradeSchema, type Grade } from '../../specs/grade.ts'
import type { Sealed } from '../seal/sealed-directory.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import type { Workshop } from '../workshop.ts'
import { GradeCache } from './grade-cache.ts'
import { productLimits } from './open-examiner.ts'

export interface GradeOptions {
  /** Runs everything again, whatever the cache has. */
  readonly fresh?: boolean
  /** The set was sealed on another machine: its image and runner may be others. */
  readonly elsewhere?: boolean
}

/**
 * Grades a tree with a sealed set, or takes the grade that was given to the same question before: same image, tree,
 * seal, runner and limits.
 * @throws Fault `config/seal-stale` when it was sealed with another image or runner; `infra/…` when the engine failed:
 * that says nothing of the tree.
 */
export async function gradeOutput(
  sealed: Sealed,
  tree: TreeId,
  prepared: PreparedTask,
  examiner: Examiner,
  workshop: Workshop,
  signal: AbortSignal,
  options: GradeOptions = {},
): Promise<{ readonly grade: Grade; readonly cached: boolean }> {
  const { policy, workdir } = prepared.loaded.task
  const limits = digestOf({
    limits: productLimits(prepared),
    workdir,
    repeats: policy.repeats,
    runtime: workshop.runtime ?? null,
    judge: prepared.judge.id,
  })
  const question = {
    tree,
    seal: sealed.seal.seal,
    image: prepared.product.id,
    runner: examiner.runner,
    limits,
  }
  const key = gradeKey(question)
  const cache = new GradeCache(workshop.state.grades)
  const make = async () => {
    const made = await gradeTree({
      examiner,
      ...sealed,
      tree,
      image: prepared.product.id,
      limits,
      repeats: policy.repeats,
      ...(options.elsewhere === undefined ? {} : { elsewhere: options.elsewhere }),
      signal,
    })
    // In the order of its schema's fields, as the cache gives it back: the same grade has one digest.
    const grade = gradeSchema.parse(made)
    await cache.put(grade)
    return grade
  }
  if (options.fresh === true) return { grade: await make(), cached: false }
  const known = await cache.get(key)
  if (known !== undefined) return { grade: known, cached: true }
  const { value, shared } = await workshop.grading.run(key, make, signal)
  return { grade: value, cached: shared }
}
