import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GradedChange } from '../engine/grade/grade-change.ts'
import { hasRuntime, IS_GVISOR, TEST_RUNTIME } from '../engine/sandbox/test-runtime.ts'
import { documentOf } from './support/assay.ts'
import { writeTask } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'

const RUNTIME = IS_GVISOR ? (TEST_RUNTIME ?? '') : 'runsc'

// Skipped, which is counted, where the engine does not have it.
describe.skipIf(!(await hasRuntime(RUNTIME)))(`under gVisor (${RUNTIME})`, () => {
  let station: Station
  let task: string
  beforeAll(async () => {
    station = await openStation(['base', 'node', 'judge'])
    task = await writeTask(join(station.work, 'task'))
  })
  afterAll(() => station.close())
  const under = (...argv: string[]) => station.json(['--runtime', RUNTIME, ...argv])

  it('the host is in order', async () => {
    const seen = await under('doctor')
    expect(documentOf(seen)).toMatchObject({ state: expect.stringMatching(/^(ok|warn)$/) })
    expect(seen.code).toBe(0)
  })

  it.each([
    ['right', 'verified', 0],
    ['wrong', 'refuted', 1],
  ])('a %s change is %s, in images whose runtimes can be read', async (name, verdict, code) => {
    const seen = await under('grade', task, '--diff', join(task, `${name}.diff`))
    expect(documentOf(seen) as GradedChange).toMatchObject({ verdict, grade: { of: 3 } })
    expect(seen.code).toBe(code)
  })

  it('what was graded under it is no answer under another runtime', async () => {
    const right = ['grade', task, '--diff', join(task, 'right.diff')]
    expect(documentOf(await under(...right))).toMatchObject({ cached: true })
    expect(documentOf(await station.json(right))).toMatchObject({ cached: false, verdict: 'verified' })
  })
})
