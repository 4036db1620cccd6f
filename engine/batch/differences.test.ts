import { expect, it } from 'vitest'
import { batchSchema } from '../../specs/batch.ts'
import { examplesOf } from '../../specs/testing/examples.ts'
import { differencesOf } from './differences.ts'

const batch = batchSchema.parse(examplesOf('batch', 'valid')[0])
const [task] = batch.tasks
const now = { runner: batch.runner, images: batch.images, tasks: batch.tasks }
const other = `sha256:${'f'.repeat(64)}`

it('finds nothing where all is as it was', () => {
  expect(differencesOf(batch, now)).toEqual([])
})
it.each([
  ['the code', { ...now, runner: other }, 'the code that grades is another'],
  ['the images', { ...now, images: other }, 'the definitions of images are others'],
  [
    'a file that changed, one that is new and one that is gone',
    { ...now, tasks: [{ ...task!, files: { 'request.md': other, 'checks/checks.json': other } }] },
    '/home/user/tasks/slug: changed: checks/checks.json, request.md, task.yaml',
  ],
  [
    'a policy',
    { ...now, tasks: [{ ...task!, policy: other }] },
    '/home/user/tasks/slug: changed: its policy',
  ],
  [
    'a task',
    { ...now, tasks: [{ ...task!, taskDigest: other }] },
    '/home/user/tasks/slug: changed: the task',
  ],
])('names %s', (_, is, expected) => {
  expect(differencesOf(batch, is)).toEqual([expected])
})
