import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../engine/pure/report.ts'
import type { JournalLine } from '../specs/journal.ts'
import { documentOf } from './support/assay.ts'
import { patch, patchOf, setFiles, worker, writeFiles, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'
import { partOf } from './support/tests-all.ts'

/** Works for a while, then is right. */
const SLOW = worker("sleep 1; sed -i 's/n + 1/n * 2/' index.js")
/** An oracle's program that takes a while as well. */
const ORACLE = {
  kind: 'command',
  argv: ['sh', '-c', 'sleep 1; cp -r /assay/program/. "$ASSAY_CHECKS"'],
  program: 'set',
}
const SET = Object.fromEntries(Object.entries(setFiles()).map(([path, text]) => [`set/${path}`, text]))

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const taskOf = (name: string) =>
  writeTask(join(station.work, name), {
    id: name,
    workers: [SLOW, patch('wrong.diff')],
    oracle: ORACLE,
    files: SET,
    policy: { race: 'all', rounds: 1 },
  })

/** Starts a run and ends its process as soon as it says `when` (and, if asked, has a box). */
async function cutOff(name: string, when: string, signal: 'SIGINT' | 'SIGKILL', hasBox = false) {
  const running = station.begin(['run', await taskOf(name)])
  await running.until(when)
  if (hasBox) await untilThereIsABox()
  running.child.kill(signal)
  if (signal === 'SIGINT') {
    // The first one lets what is under way come to its end, the second one does not.
    await running.until('interrupt again to stop now')
    running.child.kill(signal)
  }
  const seen = await running.ended
  const run = (await station.runs()).find((one) => {
    const [first] = eventsOf(station.journal(one), 'run-started')
    return first?.body.task.id === name
  })
  if (run === undefined) throw new Error('no run was begun')
  return { seen, run, stopped: running.child.signalCode }
}

async function untilThereIsABox() {
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await station.leftovers()).some((one) => one.startsWith('box'))) return
    await new Promise((next) => setTimeout(next, 20))
  }
  throw new Error('no box was made')
}

async function resume(run: string) {
  const seen = await station.json(['run', '--resume', run])
  return { code: seen.code, report: documentOf(seen) as Report, lines: station.journal(run) }
}

/** How often each attempt was graded, opened and delivered, and how often there is a seal. */
function counts(lines: readonly JournalLine[]) {
  const of = (type: 'delivered' | 'opened' | 'graded') =>
    eventsOf(lines, type)
      .map(({ body }) => body.attempt)
      .toSorted()
  return {
    sealed: eventsOf(lines, 'sealed').length,
    delivered: of('delivered'),
    opened: of('opened'),
    graded: of('graded'),
  }
}
const ONCE = { sealed: 1, delivered: [1, 2], opened: [1, 2], graded: [1, 2] }

describe('no container, volume or network is left', () => {
  it('after a run that was verified, and one that was refuted', async () => {
    for (const file of ['right.diff', 'wrong.diff']) {
      const task = await writeTask(join(station.work, `after-${file}`), { workers: [patch(file)] })
      expect((await station.json(['run', task])).code).toBe(file === 'right.diff' ? 0 : 1)
      expect(await station.leftovers()).toEqual([])
    }
  })

  it('after a command that failed before its work was done', async () => {
    const task = await writeTask(join(station.work, 'fails'), {
      workers: [patch('right.diff')],
      base: { from: 'image', path: '/no/such/path' },
    })
    expect((await station.json(['run', task])).code).toBe(2)
    expect(await station.leftovers()).toEqual([])
  })

  it('after Ctrl-C, twice: exit 130, in one line; the run goes on later and ends as it would have', async () => {
    const { seen, run } = await cutOff('interrupted', 'round 1 begins', 'SIGINT', true)
    expect(seen.code).toBe(130)
    expect(documentOf(seen)).toMatchObject({ error: { code: 'interrupted/aborted', exitCode: 130 } })
    expect(seen.stderr).toMatch(/assay: interrupted; .*--resume|assay: interrupted; the run can be resumed/)
    expect(await station.leftovers()).toEqual([])
    const { code, lines } = await resume(run)
    expect(code).toBe(0)
    expect(counts(lines)).toEqual(ONCE)
    expect(eventsOf(lines, 'resumed')).toHaveLength(1)
  })

  it('after Ctrl-C while a change is graded', async () => {
    const task = await writeTask(join(station.work, 'interrupted-grade'), { id: 'interrupted-grade' })
    await writeFiles(task, { 'own.diff': patchOf('exports.double = (n) => 2 * n // own') })
    const running = station.begin(['grade', task, '--diff', join(task, 'own.diff')])
    await untilThereIsABox()
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    expect(await station.leftovers()).toEqual([])
  })
})

describe('kill -9', () => {
  const demo = join(import.meta.dirname, '../corpus/fixtures/demo')
  it.each(
    partOf([
      ['doctor', () => ['doctor']],
      ['report', () => ['report']],
      ['replay', () => ['replay', demo]],
      ['init', () => ['init', 'later', '--into', join(station.work, 'later')]],
    ] as [string, () => string[]][]),
  )('leaves boxes, and any later command removes them: %s', async (name, argv) => {
    const { run, stopped } = await cutOff(
      `killed-before-${name}`,
      'attempt 1: round 1 begins',
      'SIGKILL',
      true,
    )
    expect(stopped).toBe('SIGKILL')
    expect(await station.leftovers()).not.toEqual([])
    const seen = await station.json(argv())
    expect(seen.code, seen.stderr).toBe(0)
    expect(await station.leftovers()).toEqual([])
    expect(await resume(run)).toMatchObject({ code: 0, report: { verdict: 'verified' } })
  })

  it.concurrent.each(
    partOf([
      ['while the oracle writes', 'oracle: writing checks'],
      ['between delivery and seal', 'attempt 2: delivered'],
      ['right after the seal', 'sealed sha256'],
      ['when an output was opened', 'attempt 1: tree'],
      ['while an output is graded', 'attempt 1: grading'],
      ['between two grades', 'checks failed'],
      ['when all is decided', 'complete with attempt 1'],
    ]),
  )('%s: the run goes on to the same end, and nothing is graded twice', async (what, when) => {
    const { run } = await cutOff(`killed-${what.replaceAll(' ', '-')}`, when, 'SIGKILL')
    const atCut = counts(station.journal(run))
    const { code, report, lines } = await resume(run)
    expect(code).toBe(0)
    expect(report.outcome).toMatchObject({ outcome: 'completed', attempt: 1 })
    expect(report.attempts.map(({ state }) => state)).toEqual(['verified', 'refuted'])
    expect(counts(lines)).toEqual(ONCE)
    // What was there stays as it was: a journal only grows.
    expect(counts(lines.slice(0, lines.findIndex(({ body }) => body.type === 'resumed') >>> 0))).toEqual(
      atCut,
    )
  })

  it('a run that is finished is not begun again', async () => {
    const task = await writeTask(join(station.work, 'finished'), { workers: [patch('right.diff')] })
    const { run } = documentOf(await station.json(['run', task])) as Report
    const before = station.journal(run)
    expect(await resume(run)).toMatchObject({ code: 0, lines: before })
  })

  it('a task that has changed since changes nothing of the run: it goes on with what it began with', async () => {
    const { run } = await cutOff('mixed', 'round 1 begins', 'SIGKILL')
    const folder = join(station.work, 'mixed')
    await writeTask(folder, { id: 'other', request: 'Something else.\n', checks: {}, policy: { rounds: 9 } })
    await writeFiles(join(folder, 'base'), { 'index.js': 'exports.double = exports.half = () => 0\n' })
    const { code, report, lines } = await resume(run)
    expect(code).toBe(0)
    expect(report).toMatchObject({ task: 'mixed', verdict: 'verified' })
    expect(counts(lines)).toEqual(ONCE)
  })
})

it('two commands of one state directory do not remove each other’s boxes', async () => {
  const running = station.begin(['run', await taskOf('beside')])
  await running.until('round 1 begins')
  await station.json(['images', 'list'])
  await station.json(['images', 'list'])
  const seen = await running.ended
  expect(seen.code).toBe(0)
})
