import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runTask } from '../engine/index.ts'
import type { Report } from '../engine/pure/report.ts'
import { documentOf } from './support/assay.ts'
import { patch, patchOf, worker, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const SLEEPER = worker('sleep 600')

async function run(name: string, changes: Parameters<typeof writeTask>[1]) {
  const task = await writeTask(join(station.work, name), changes)
  const seen = await station.json(['run', task])
  const report = documentOf(seen) as Report & { directory: string }
  return { code: seen.code, report, lines: station.journal(report.run) }
}

describe('a patch as the only attempt', () => {
  it('is verified when it is right: exit 0, with evidence for each claim', async () => {
    const { code, report } = await run('right', { workers: [patch('right.diff')] })
    expect(code).toBe(0)
    expect(report).toMatchObject({ verdict: 'verified', outcome: { outcome: 'completed', attempt: 1 } })
    expect(report.attempts[0]?.grade).toMatchObject({ failed: 0, of: 3, findings: [] })
    expect(report.attempts[0]?.grade?.claims).toMatchObject([
      { claim: 'doubles', verdict: 'verified', evidence: ['double#two', 'double#five'] },
      { claim: 'half', verdict: 'verified', evidence: ['half'] },
    ])
  })

  it('is refuted when it only does the example: exit 1, with what was expected and observed', async () => {
    const { code, report } = await run('wrong', { workers: [patch('wrong.diff')] })
    expect(code).toBe(1)
    expect(report).toMatchObject({ verdict: 'refuted', outcome: { outcome: 'refuted' } })
    const [claim] = report.attempts[0]?.grade?.claims ?? []
    expect(claim).toMatchObject({ claim: 'doubles', verdict: 'refuted', evidence: ['double#five'] })
    const row = report.attempts[0]?.grade?.rows.find(({ row }) => row === 'double#five')
    expect(row?.runs[0]?.mismatch).toMatch(/expected 10.*6/)
  })

  it('is refuted when it breaks what was to stay', async () => {
    const harm = patchOf('exports.double = (n) => n * 2').replace(
      ' exports.half = (n) => n / 2\n',
      '-exports.half = (n) => n / 2\n+exports.half = (n) => n >> 2\n',
    )
    const { code, report } = await run('harm', {
      workers: [patch('harm.diff')],
      files: { 'harm.diff': harm },
    })
    expect(code).toBe(1)
    expect(report.attempts[0]?.grade?.claims).toMatchObject([
      { claim: 'doubles', verdict: 'verified' },
      { claim: 'half', verdict: 'refuted', evidence: ['half'] },
    ])
  })

  it('is refused at the gate when it does not apply: exit 1, with the reason of git', async () => {
    const other = patchOf('x').replace('n + 1', 'n + 2')
    const { code, report, lines } = await run('other', {
      workers: [patch('other.diff')],
      files: { 'other.diff': other },
    })
    expect(code).toBe(1)
    expect(report.attempts[0]).toMatchObject({ state: 'refused' })
    expect(report.attempts[0]?.why).toMatch(/patch-does-not-apply.*index\.js/)
    expect(eventsOf(lines, 'graded')).toEqual([])
  })
})

describe('several attempts', () => {
  it('first: the first verified one wins, and the one that still works is stopped', async () => {
    const { code, report, lines } = await run('first', {
      workers: [SLEEPER, patch('right.diff')],
      policy: { race: 'first' },
    })
    expect(code).toBe(0)
    expect(report.outcome).toMatchObject({ outcome: 'completed', attempt: 2 })
    expect(report.attempts.map(({ state }) => state)).toEqual(['stopped', 'verified'])
    const decided = eventsOf(lines, 'decided').find(({ body }) => body.decision.do === 'stop')
    const [stopped] = eventsOf(lines, 'stopped')
    expect(decided?.body.decision).toMatchObject({ attempt: 1, why: 'lost' })
    expect(Date.parse(stopped!.at) - Date.parse(decided!.at)).toBeLessThan(2000)
  })

  it('all: every attempt is graded, and the first in order of the verified ones wins', async () => {
    const { code, report } = await run('all', {
      workers: [patch('wrong.diff'), patch('same.diff'), patch('right.diff')],
      files: { 'same.diff': patchOf('exports.double = (n) => n + n') },
      policy: { race: 'all' },
    })
    expect(code).toBe(0)
    expect(report.outcome).toMatchObject({ outcome: 'completed', attempt: 2 })
    expect(report.attempts.map(({ state }) => state)).toEqual(['refuted', 'verified', 'verified'])
  })

  it('that left the same tree are graded once', async () => {
    const text = patchOf('exports.double = (n) => n * 2 // the same')
    const { lines } = await run('once', {
      workers: [patch('one.diff'), patch('two.diff')],
      files: { 'one.diff': text, 'two.diff': text },
      policy: { race: 'all' },
    })
    const graded = eventsOf(lines, 'graded').map(({ body }) => body)
    expect(graded.map(({ cached }) => cached).toSorted()).toEqual([false, true])
    expect(graded[0]?.grade).toBe(graded[1]?.grade)
  })

  it('are refuted together: exit 1', async () => {
    const { code, report } = await run('none', {
      workers: [patch('wrong.diff'), patch('half.diff')],
      files: { 'half.diff': patchOf('exports.double = (n) => 10') },
    })
    expect(code).toBe(1)
    expect(report.attempts.map(({ state }) => state)).toEqual(['refuted', 'refuted'])
  })

  it('without any attempt nothing can come of it: held, exit 3', async () => {
    const { code, report } = await run('empty', {})
    expect(code).toBe(3)
    expect(report.outcome).toMatchObject({
      outcome: 'held',
      decision: { cause: 'nothing-delivered', missing: 'an attempt' },
    })
  })
})

it('does the same from TypeScript, and tells each event', async () => {
  const task = await writeTask(join(station.work, 'api'), { workers: [patch('right.diff')] })
  const types: string[] = []
  const { report, directory } = await runTask(task, {
    state: station.state,
    policy: { race: 'all' },
    onEvent: ({ type }) => types.push(type),
  })
  expect(report).toMatchObject({ verdict: 'verified', exitCode: 0 })
  expect(directory).toBe(join(station.state, 'runs', report.run))
  expect(types).toEqual(station.journal(report.run).map(({ body }) => body.type))
})
