import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BatchReport } from '../engine/pure/batch-summary.ts'
import { documentOf } from './support/assay.ts'
import { patch, worker, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'
import { LandingRepository, LANDS_AS } from './support/target.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const SLOW = worker("sleep 4; sed -i 's/n + 1/n * 2/' index.js")

/** A folder of tasks: a right one, a wrong one, and one that takes its time. */
async function folderOf(name: string): Promise<string> {
  const folder = join(station.work, name)
  const task = (id: string, changes: Parameters<typeof writeTask>[1]) =>
    writeTask(join(folder, id), { id, ...changes })
  await task('a-right', { workers: [patch('right.diff')] })
  await task('b-wrong', { workers: [patch('wrong.diff')] })
  await task('c-slow', { workers: [SLOW] })
  return folder
}

describe('a batch', () => {
  it('runs a folder of tasks and counts what became of them', async () => {
    const folder = await folderOf('counted')
    const target = await LandingRepository.make(station.work)
    const argv = [
      'run',
      folder,
      '--attempts',
      '2',
      '--race',
      'all',
      '--concurrency',
      '2',
      '--land',
      target.land,
    ]
    const seen = await station.json(argv, { env: LANDS_AS })
    const report = documentOf(seen) as BatchReport
    expect(seen.code, seen.stderr).toBe(1)
    expect(report.tasks.map(({ task, verdict }) => `${task} ${verdict}`)).toEqual([
      'a-right verified',
      'b-wrong refuted',
      'c-slow verified',
    ])
    expect(report.counts).toMatchObject({ verified: 2, refuted: 1, failed: 0 })
    expect(report.passAtK.map(({ k, estimate }) => [k, Number(estimate.toFixed(3))])).toEqual([
      [1, 0.667],
      [2, 0.667],
    ])
    expect(report.costUsd).toBe('unknown')
    expect(seen.stderr).toMatch(/3 tasks, 2 at once/)
    expect(seen.stderr).toMatch(/3\/3 {2}/)
    const again = await station.text(['run', '--resume', report.batch])
    expect(again.code).toBe(1)
    expect(again.stdout).toMatch(/3 tasks: 2 verified, 1 refuted/)
    expect(again.stdout).toMatch(/pass@1 67 % \[\d+ %, \d+ %\]/)
  })

  it('that is killed goes on exactly where it stopped', async () => {
    const folder = await folderOf('killed')
    const running = station.begin(['run', folder, '--concurrency', '1'])
    await running.until('2/3')
    running.child.kill('SIGKILL')
    await running.ended
    const batch = /(batch-\S+):/.exec(running.stderr())?.[1] ?? ''
    const seen = await station.json(['run', '--resume'])
    const report = documentOf(seen) as BatchReport
    expect(seen.code, seen.stderr).toBe(1)
    expect(report.batch).toBe(batch)
    expect(report.counts).toMatchObject({ verified: 2, refuted: 1 })
    for (const { run } of report.tasks) {
      expect(eventsOf(station.journal(run), 'graded')).toHaveLength(1)
      expect(eventsOf(station.journal(run), 'run-started')).toHaveLength(1)
    }
    const resumed = report.tasks.map(({ run }) => eventsOf(station.journal(run), 'resumed').length)
    expect(resumed.slice(0, 2)).toEqual([0, 0])
  })

  it('finishes what is under way at the first Ctrl-C, and says how to go on', async () => {
    const folder = await folderOf('drained')
    const running = station.begin(['run', folder, '--concurrency', '1'])
    await running.until('1/3')
    running.child.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(ended.stderr).toMatch(/tasks are left; go on with: assay run --resume batch-/)
    const seen = await station.json(['run', '--resume'])
    expect((documentOf(seen) as BatchReport).counts).toMatchObject({ verified: 2, refuted: 1, unfinished: 0 })
  })

  it('begins nothing more when its time is over', async () => {
    const folder = await folderOf('budget')
    const seen = await station.json(['run', folder, '--concurrency', '1', '--budget', '1s'])
    expect(seen.code).toBe(130)
    expect(seen.stderr).toMatch(/[123] of 3 tasks are left/)
  })

  it('does not go on with a task that changed, and names what did', async () => {
    const folder = await folderOf('changed')
    const seen = await station.json(['run', folder, '--concurrency', '1', '--budget', '1s'])
    const batch = /--resume (batch-\S+)/.exec(seen.stderr)?.[1] ?? ''
    await appendFile(join(folder, 'c-slow/request.md'), '\nAnd quickly.\n')
    await writeFile(join(folder, 'a-right/new.txt'), 'x')
    const resumed = await station.json(['run', '--resume', batch])
    expect(resumed.code).toBe(2)
    expect(resumed.stderr).toMatch(
      /would mix what is not the same: .*a-right: changed: new\.txt; .*c-slow: changed: request\.md/,
    )
  })

  it('is worked at by one process at a time', async () => {
    const folder = await folderOf('busy')
    const running = station.begin(['run', folder, '--concurrency', '1'])
    await running.until('1/3')
    const batch = /(batch-\S+):/.exec(running.stderr())?.[1] ?? ''
    const second = await station.json(['run', '--resume', batch])
    expect(second.code).toBe(2)
    expect(second.stderr).toContain(`${batch}: process ${running.child.pid} is at work on it since `)
    running.child.kill('SIGKILL')
    await running.ended
  })

  it('goes on when one of its tasks fails', async () => {
    const folder = join(station.work, 'fails')
    await writeTask(join(folder, 'a-fails'), { id: 'a-fails', base: { from: 'directory', path: 'nowhere' } })
    await writeTask(join(folder, 'b-right'), { id: 'b-right', workers: [patch('right.diff')] })
    const seen = await station.json(['run', folder])
    const report = documentOf(seen) as BatchReport
    expect(seen.code).toBe(2)
    expect(report.tasks).toMatchObject([
      { verdict: 'failed', why: expect.stringContaining('[config/base') as string },
      { verdict: 'verified' },
    ])
  })

  it.each([
    ['a folder without tasks', (folder: string) => Promise.resolve([folder]), /expected a task directory/],
    [
      'a name that is nothing',
      (folder: string) => Promise.resolve([join(folder, 'x'), folder]),
      /x: expected a task directory/,
    ],
    [
      'a task that is named twice',
      async (folder: string) => {
        const task = await writeTask(join(folder, 'one'))
        return [task, folder]
      },
      /one: the same task as /,
    ],
    [
      'a list with a line that names none',
      async (folder: string) => {
        await writeFile(join(folder, 'list.txt'), '# tasks\n\nnowhere\n')
        return [join(folder, 'list.txt')]
      },
      /list\.txt: line 3: nowhere: expected a task directory/,
    ],
  ])('says what is wrong before anything is begun: %s', async (_, argv, message) => {
    const folder = join(station.work, `bad-${Math.random()}`)
    await mkdir(folder, { recursive: true })
    const before = await station.runs()
    const seen = await station.json(['run', ...(await argv(folder))])
    expect(seen.code).toBe(2)
    expect(seen.stderr).toMatch(message)
    expect(await station.runs()).toEqual(before)
  })
})
