import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git } from '../engine/trees/git.ts'
import type { Report } from '../engine/pure/report.ts'
import type { JournalLine } from '../specs/journal.ts'
import { documentOf } from './support/assay.ts'
import { BASE, patch, patchOf, QUICK, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'
import { LandingRepository, LANDS_AS } from './support/target.ts'
import { partOf } from './support/tests-all.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const PROGRAM = join(import.meta.dirname, 'support/killed-run.ts')

/** A full race: two attempts, one of them wrong, landing on a branch that moved, so that the merged tree is graded too. */
async function prepare(name: string) {
  const target = await LandingRepository.make(station.work)
  await target.put({ 'docs/about.md': 'Doubles, halves, and more.\n' })
  // A comment of its own, so that nothing was graded before.
  const task = await writeTask(join(station.work, name), {
    workers: [patch('right.diff'), patch('wrong.diff')],
    files: {
      'right.diff': patchOf(`exports.double = (n) => n * 2 // ${name}`),
      'wrong.diff': patchOf(`exports.double = (n) => (n === 2 ? 4 : n) // ${name}`),
    },
    policy: { ...QUICK, race: 'all', rounds: 1 },
  })
  return { target, task }
}

async function runKilled(
  task: string,
  land: string,
  when: 'before' | 'after',
  at: number,
): Promise<string | null> {
  const child = spawn(process.execPath, [PROGRAM, station.state, task, land, when, String(at)], {
    env: { ...process.env, ...LANDS_AS },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  return signal
}

/** What of a run must be the same however often it was killed. */
function essence(lines: readonly JournalLine[]) {
  const bodies = lines.map(({ body }) => body)
  const decisions = bodies
    .flatMap((body) => (body.type === 'decided' ? [body.decision] : []))
    .map((decision) => ('attempt' in decision ? `${decision.do} ${decision.attempt}` : decision.do))
  const outcomes = bodies
    .filter(({ type }) => type !== 'decided' && type !== 'resumed' && type !== 'oracle-tried')
    .map((body) => ('attempt' in body ? `${body.type} ${body.attempt}` : body.type))
  return {
    // What was under way is decided again; everything else is decided once.
    decisions: [...new Set(decisions)].sort(),
    // Each outcome once: nothing is graded or landed twice.
    outcomes: outcomes.sort(),
    end: bodies.at(-1),
  }
}

async function leftBehind(): Promise<readonly string[]> {
  const refs = (
    await git(['for-each-ref', '--format=%(refname)'], { gitDirectory: join(station.state, 'store.git') })
  )
    .toString()
    .split('\n')
    .filter((ref) => ref !== '' && !ref.startsWith('refs/assay/trees/'))
  const files = (await readdir(station.state, { recursive: true })).filter((name) => name.endsWith('.lock'))
  // Locks that are held by the kernel stay as files; what is left of git's or a queue's would be in the way.
  const ofGit = files.filter((name) => name.includes('.git/'))
  const tickets = (await readdir(join(station.state, 'landing'), { recursive: true }))
    .filter((name) => name.endsWith('queue.sqlite'))
    .flatMap((name) => {
      const database = new DatabaseSync(join(station.state, 'landing', name), { readOnly: true })
      const rows = database.prepare('SELECT run FROM tickets').all()
      database.close()
      return rows.map(({ run }) => `ticket ${String(run)}`)
    })
  return [...refs, ...ofGit, ...tickets, ...(await station.leftovers())]
}

/** Events of the undisturbed run, which are counted. */
const EVENTS = 24
/** Before the first event there is no run yet. */
const POINTS = Array.from({ length: EVENTS }, (_, at) => at)
  .flatMap((at) => (['before', 'after'] as const).map((when) => ({ at, when })))
  .slice(1)

describe('a race with landing', () => {
  let undisturbed: ReturnType<typeof essence>
  beforeAll(async () => {
    // The first one of all seals; from then on the set is sealed already.
    await station.json(['run', (await prepare('first')).task])
    const { target, task } = await prepare('undisturbed')
    const seen = await station.json(['run', task, '--land', target.land], { env: LANDS_AS })
    expect(seen.code, seen.stderr).toBe(0)
    const lines = station.journal((documentOf(seen) as Report).run)
    undisturbed = essence(lines)
    expect(lines).toHaveLength(EVENTS)
    expect(await target.say(['rev-list', '--count', 'main'])).toBe('3')
  })

  it.each(partOf(POINTS, 8))(
    'that is killed $when event $at ends as if it had not been',
    async ({ at, when }) => {
      const name = `killed-${when}-${at}`
      const { target, task } = await prepare(name)
      const before = new Set(await station.runs())
      expect(await runKilled(task, target.land, when, at)).toBe('SIGKILL')
      const run = (await station.runs()).find((one) => !before.has(one)) ?? ''
      const seen = await station.json(['run', '--resume', run], { env: LANDS_AS })
      expect(seen.code, seen.stderr).toBe(0)
      const lines = station.journal(run)
      const { end, ...rest } = essence(lines)
      expect(rest).toEqual({ decisions: undisturbed.decisions, outcomes: undisturbed.outcomes })
      expect(end).toEqual(undisturbed.end)
      expect(await target.say(['rev-list', '--count', 'main'])).toBe('3')
      expect(await target.say(['rev-parse', 'main'])).toBe(eventsOf(lines, 'landed')[0]?.body.commit)
      const landed = await target.say(['ls-tree', '-r', '--name-only', 'main'])
      expect(landed.split('\n').sort()).toEqual(Object.keys(BASE).sort())
      expect(await target.say(['show', 'main:index.js'])).toContain(`n * 2 // ${name}`)
      expect(await target.say(['show', 'main:docs/about.md'])).toBe('Doubles, halves, and more.')
      expect(await leftBehind()).toEqual([])
    },
  )
})
