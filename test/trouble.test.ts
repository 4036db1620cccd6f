import { execFileSync } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runTask } from '../engine/run/run-task.ts'
import { loadTask } from '../engine/task/load-task.ts'
import { openWorkshop } from '../engine/workshop.ts'
import type { Report } from '../engine/pure/report.ts'
import { documentOf } from './support/assay.ts'
import { patch, worker, writeTask } from './support/double-task.ts'
import { proxySocket } from './support/socket-proxy.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const SLOW = worker("sleep 3; sed -i 's/n + 1/n * 2/' index.js")

describe('a run goes on', () => {
  it('when the engine is away for some seconds: the step is done again when it is back', async () => {
    const proxy = await proxySocket(join(station.work, 'engine.sock'), '/var/run/docker.sock')
    onTestFinished(() => proxy.cut())
    const task = await writeTask(join(station.work, 'away'), { workers: [SLOW], policy: { infraRetries: 1 } })
    const running = station.begin(['--docker-host', proxy.address, 'run', task])
    await running.until('round 1 begins')
    proxy.cut()
    setTimeout(() => void proxy.mend(), 3000)
    const seen = await running.ended
    expect(seen.code, seen.stderr).toBe(0)
    const report = documentOf(seen) as Report
    expect(report.verdict).toBe('verified')
    const lines = station.journal(report.run)
    expect(lines.map(({ body }) => body.type)).toContain('work-failed')
    expect(eventsOf(lines, 'delivered')).toHaveLength(1)
  })

  it.skipIf(process.getuid?.() !== 0)(
    'when the disk was full in the middle: it ends as an infrastructure failure, and nothing is lost',
    async () => {
      const runs = join(station.state, 'runs')
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', runs])
      const unmount = () => execFileSync('umount', ['-l', runs])
      try {
        const task = await writeTask(join(station.work, 'full'), { workers: [SLOW] })
        const running = station.begin(['run', task])
        await running.until('round 1 begins')
        const run = /run (\S+):/.exec(running.stderr())?.[1] ?? ''
        const filler = join(runs, 'filler')
        await writeFile(filler, Buffer.alloc(2 ** 21)).catch(() => undefined)
        const full = await running.ended
        expect(full.code, full.stderr).toBe(4)
        expect(full.stderr).toMatch(/\[infra\/(?:journal-write|disk-full)\]/)
        await rm(filler)
        const seen = await station.json(['run', '--resume', run])
        expect(seen.code, seen.stderr).toBe(0)
        const lines = station.journal(run)
        expect(eventsOf(lines, 'graded')).toHaveLength(1)
        expect(eventsOf(lines, 'resumed')).toHaveLength(1)
      } finally {
        unmount()
      }
    },
  )

  it('when the clock goes backwards', async () => {
    const task = await writeTask(join(station.work, 'clock'), {
      workers: [worker("test -e once.txt && sed -i 's/n + 1/n * 2/' index.js; touch once.txt")],
      policy: { attemptTimeoutMs: 60_000 },
    })
    let readings = 0
    // Each look at the clock is an hour before the last one.
    const now = () => new Date(Date.UTC(2030, 0, 1) - readings++ * 3_600_000)
    const workshop = { ...(await openWorkshop({ stateRoot: station.state })), now }
    const watch = { onEvent: () => undefined, note: () => undefined, signal: new AbortController().signal }
    const { report } = await runTask(workshop, await loadTask(task), watch)
    expect(report).toMatchObject({ verdict: 'verified', attempts: [{ rounds: 2 }] })
    expect(station.journal(report.run).length).toBeGreaterThan(10)
  })

  it('in two processes on one state directory at once', async () => {
    const tasks = await Promise.all(
      ['one', 'two'].map((name) =>
        writeTask(join(station.work, name), { id: name, workers: [patch('right.diff')] }),
      ),
    )
    const seen = await Promise.all(tasks.map((task) => station.json(['run', task])))
    expect(seen.map(({ code }) => code)).toEqual([0, 0])
  })
})
