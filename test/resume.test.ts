import { appendFile, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Report } from '../engine/pure/report.ts'
import { documentOf } from './support/assay.ts'
import { patch, worker, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

/** Long enough to be interrupted, and it does its work when it is not. */
const SLOW = worker("sleep 15; sed -i 's/n + 1/n * 2/' index.js")

it('goes on from its record: one process at a time, without a torn line, without the task it was begun from', async () => {
  const task = await writeTask(join(station.work, 'task'), {
    workers: [patch('wrong.diff'), SLOW],
    policy: { race: 'first' },
  })
  const first = station.begin(['run', task])
  onTestFinished(() => void first.child.kill('SIGKILL'))
  await first.until('attempt 2: round 1 begins')
  const run = /run (\S+):/.exec(first.stderr())?.[1] ?? ''
  const resume = ['--quiet', 'run', '--resume', run]

  const busy = await station.json(resume)
  expect(documentOf(busy), first.stderr() + busy.stderr).toMatchObject({
    error: { code: 'config/run-busy', exitCode: 2 },
  })
  expect(busy.stderr).toContain(`process ${first.child.pid} is at work on it`)

  first.child.kill('SIGINT')
  await first.until('interrupt again to stop now')
  first.child.kill('SIGINT')
  const ended = await first.ended
  expect(ended.code).toBe(130)
  expect(documentOf(ended)).toMatchObject({ error: { code: 'interrupted/aborted', exitCode: 130 } })
  expect(ended.stderr).toContain(`go on with: assay run --resume ${run}`)

  const directory = join(station.state, 'runs', run)
  await appendFile(join(directory, 'journal.jsonl'), '{"v":1,"se')
  // The oracle's files are read until they are sealed; nothing else of the task is needed any longer.
  for (const name of await readdir(task)) {
    if (name !== 'checks') await rm(join(task, name), { recursive: true })
  }
  const torn = await station.json(resume)
  expect(torn.code).toBe(2)
  expect(torn.stderr).toMatch(/the last line was cut off; .*--drop-torn-line/)

  const seen = await station.json([...resume, '--drop-torn-line'])
  const report = documentOf(seen) as Report
  expect(seen.code, seen.stderr).toBe(0)
  expect(report).toMatchObject({ verdict: 'verified', outcome: { outcome: 'completed', attempt: 2 } })
  const [resumed] = eventsOf(station.journal(run), 'resumed')
  expect(resumed?.body.reason).toMatch(/without a last line of 10 bytes .*torn-line\.1\.txt/)
  expect(await readFile(join(directory, 'torn-line.1.txt'), 'utf8')).toBe('{"v":1,"se')
})

it('finishes what is under way at the first Ctrl-C, begins nothing more, and goes on from there', async () => {
  const task = await writeTask(join(station.work, 'drained'), {
    id: 'drained',
    workers: [worker("sleep 3; sed -i 's/n + 1/n * 2/' index.js")],
  })
  const first = station.begin(['run', task])
  onTestFinished(() => void first.child.kill('SIGKILL'))
  await first.until('round 1 begins')
  const run = /run (\S+):/.exec(first.stderr())?.[1] ?? ''
  first.child.kill('SIGINT')
  const ended = await first.ended
  expect(ended.code).toBe(130)
  expect(documentOf(ended)).toMatchObject({ error: { code: 'interrupted/drained', exitCode: 130 } })
  expect(ended.stderr).toContain(`go on with: assay run --resume ${run}`)
  const events = station.journal(run).map(({ body }) => body.type)
  expect(events).toContain('delivered')
  expect(events).not.toContain('opened')
  const seen = await station.json(['run', '--resume', run])
  expect(seen.code, seen.stderr).toBe(0)
  expect(eventsOf(station.journal(run), 'delivered')).toHaveLength(1)
})
