import type { Batch } from '../../specs/batch.ts'

type BatchTask = Batch['tasks'][number]

/** What a batch began with, as it is now. */
export interface Now {
  readonly runner: string
  readonly images: string
  readonly tasks: readonly Pick<BatchTask, 'path' | 'taskDigest' | 'policy' | 'files'>[]
}

const MAX_NAMED = 5

/** Everything that is another than what a batch began with, in words; empty when it can go on. A task that is not in `now` is told of elsewhere. */
export function differencesOf(batch: Batch, now: Now): readonly string[] {
  return [
    ...(batch.runner === now.runner ? [] : ['the code that grades is another']),
    ...(batch.images === now.images ? [] : ['the definitions of images are others']),
    ...batch.tasks.flatMap((task) => {
      const is = now.tasks.find(({ path }) => path === task.path)
      return is === undefined ? [] : differencesOfTask(task, is)
    }),
  ]
}

function differencesOfTask(was: BatchTask, is: Now['tasks'][number]): readonly string[] {
  const changed = [...new Set([...Object.keys(was.files), ...Object.keys(is.files)])]
    .filter((path) => was.files[path] !== is.files[path])
    .sort()
  const named = changed.slice(0, MAX_NAMED).join(', ')
  const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : ''
  const what = [
    ...(was.policy === is.policy ? [] : ['its policy']),
    ...(changed.length === 0 ? [] : [`${named}${more}`]),
    ...(was.taskDigest === is.taskDigest || changed.length > 0 || was.policy !== is.policy
      ? []
      : ['the task']),
  ]
  return what.length === 0 ? [] : [`${was.path}: changed: ${what.join('; ')}`]
}
