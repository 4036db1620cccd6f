import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Blobs } from '../engine/journal/blobs.ts'
import type { Report } from '../engine/pure/report.ts'
import { comparisonSchema } from '../specs/comparison.ts'
import { documentOf } from './support/assay.ts'
import { patch, patchOf, worker, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'
import { LandingRepository, LANDS_AS } from './support/target.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const DIFFS = {
  'long.diff': patchOf('exports.double = (n) => {\n+  const twice = n * 2\n+  return twice\n+}').replace(
    '+1,2',
    '+1,5',
  ),
  'short.diff': patchOf('exports.double = (n) => n + n'),
  // Right for every number that a row has, and wrong from a hundred on.
  'bounded.diff': patchOf('exports.double = (n) => (Math.abs(n) > 99 ? n : n * 2)'),
  'random.diff': patchOf('exports.double = (n) => (n > 9 ? Math.random() : n * 2)'),
}
const BEST = { race: 'best' } as const

async function race(name: string, diffs: readonly (keyof typeof DIFFS)[], argv: readonly string[] = []) {
  const task = await writeTask(join(station.work, name), {
    workers: diffs.map((file) => patch(file)),
    files: DIFFS,
    policy: BEST,
  })
  const seen = await station.json(['run', task, ...argv], { env: LANDS_AS })
  const report = documentOf(seen) as Report
  return { code: seen.code, report, lines: station.journal(report.run) }
}

describe('the best of several', () => {
  it('is the smallest diff of those that behave the same on fresh scenarios, and it lands', async () => {
    const target = await LandingRepository.make(station.work)
    const { code, report, lines } = await race('same', ['long.diff', 'short.diff'], ['--land', target.land])
    expect(code).toBe(0)
    expect(report.outcome).toMatchObject({ outcome: 'completed', attempt: 2, landed: await target.head() })
    const [compared] = eventsOf(lines, 'compared')
    expect(compared?.body).toMatchObject({ attempts: [1, 2], differences: 0 })
    expect(compared?.body.scenarios).toBeGreaterThan(20)
    expect(await target.say(['show', 'main:index.js'])).toContain('n + n')
  })

  it('is a question for a person where they do not: the input and both observations', async () => {
    const { code, report, lines } = await race('differ', ['short.diff', 'bounded.diff'])
    expect(code).toBe(3)
    expect(report.attempts.map(({ state }) => state)).toEqual(['verified', 'verified'])
    const { outcome, run } = report
    expect(outcome).toMatchObject({ outcome: 'held', decision: { cause: 'race-differs', gap: 'spec' } })
    const [compared] = eventsOf(lines, 'compared')
    const blobs = new Blobs(join(station.state, 'runs', run, 'blobs'))
    const text = (await blobs.get(compared?.body.comparison ?? '')).toString('utf8')
    const [difference] = comparisonSchema.parse(JSON.parse(text)).differences
    const n = difference?.input as number
    expect(Math.abs(n)).toBeGreaterThan(99)
    expect(difference?.observations).toMatchObject([{ value: n * 2 }, { value: n }])
    const shown = await station.text(['held', 'show', run])
    expect(shown.stdout).toContain(`with input ${n}: tree `)
    expect(shown.stdout).toContain('choose   one of attempts 1, 2')
    const without = await station.json(['held', 'resolve', run, '--accept', '--reason', 'x'])
    expect(without.stderr).toContain('--attempt: expected one of 1, 2')
    const chosen = await station.json([
      ...['held', 'resolve', run, '--accept', '--attempt', '1', '--reason', 'twice is twice'],
    ])
    expect(chosen.code, chosen.stderr).toBe(0)
    expect(documentOf(chosen)).toMatchObject({ verdict: 'verified', outcome: { attempt: 1 } })
    const replayed = await station.json(['fixture', 'pack', run, '--to', join(station.work, 'packed')])
    expect(replayed.code, replayed.stderr).toBe(0)
    const again = await station.json(['replay', join(station.work, 'packed'), '--level', 'decisions'])
    expect(again.code, again.stderr).toBe(0)
  })

  it('is a question, too, where one does now this, now that, and the other does not', async () => {
    const { code, report } = await race('random', ['short.diff', 'random.diff'])
    expect(code).toBe(3)
    expect(report.outcome).toMatchObject({ outcome: 'held', decision: { cause: 'race-differs' } })
  })
})

describe('assay race', () => {
  it('lets the workers of a task take turns, and each attempt end for itself', async () => {
    const task = await writeTask(join(station.work, 'turns'), {
      workers: [
        worker('exit 3', { label: 'gives up' }),
        worker('sleep 600', { label: 'sleeps' }),
        worker("sed -i 's/n + 1/n * 2/' index.js", { label: 'right' }),
      ],
      policy: { workerTimeoutMs: 2000, rounds: 1 },
    })
    const seen = await station.json(['race', task, '--attempts', '6', '--race', 'all'])
    const report = documentOf(seen) as Report
    expect(seen.code, seen.stderr).toBe(0)
    expect(report.attempts.map(({ label, state }) => `${label}: ${state}`)).toEqual([
      'gives up: refuted',
      'sleeps: refuted',
      'right: verified',
      'gives up: refuted',
      'sleeps: refuted',
      'right: verified',
    ])
    expect(report.outcome).toMatchObject({ outcome: 'completed', attempt: 3 })
  })

  it('ends an attempt whose time is over with what it left, and gives it no further round', async () => {
    const task = await writeTask(join(station.work, 'spent'), {
      workers: [worker('echo 1 > n.txt; sleep 600')],
      policy: { attemptTimeoutMs: 2000, rounds: 5 },
    })
    const seen = await station.json(['race', task, '--attempts', '1'])
    const report = documentOf(seen) as Report
    expect(seen.code, seen.stderr).toBe(1)
    expect(report.attempts).toMatchObject([{ state: 'refuted', rounds: 1 }])
    expect(eventsOf(station.journal(report.run), 'delivered')[0]?.body).toMatchObject({ spent: true })
  })

  it.each([
    [[], /expected --attempts N/],
    [['--attempts', '0'], /--attempts: expected a number from 1 to 64/],
    [['--attempts', '2', '--race', 'worst'], /--race: expected one of first, best, all/],
    [['--attempts', '2', '--sign', 'k.pem'], /--sign: expected with --land only/],
  ])('says what it expected: %j', async (argv, message) => {
    const seen = await station.json(['race', 'nowhere', ...argv])
    expect(seen.code).toBe(2)
    expect(seen.stderr).toMatch(message)
  })
})
