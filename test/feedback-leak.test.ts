import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../engine/pure/report.ts'
import { GitTreeStore } from '../engine/trees/git-tree-store.ts'
import { documentOf } from './support/assay.ts'
import { CLAIMS, HALF, patch, patchOf, REQUEST, setFiles, worker, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'

/**
 * The covert channel: a worker that does not solve the task, but has its output choose by the inputs which checks fail,
 * so that "k of n" tells it something of the inputs. What it gets is measured, and compared with the ledger.
 */
const DOMAIN = Array.from({ length: 16 }, (_, n) => n + 2)
/** The inputs of the feedback checks: five of sixteen, and the worker's secret to find out. */
const SECRET = [3, 4, 9, 14, 16]
const QUANTUM_MS = 3000

const CHECKS = {
  version: 1,
  claims: CLAIMS,
  checks: [
    {
      id: 'double',
      claim: 'doubles',
      role: 'behaviour',
      scenario: 'scenarios/double.mjs',
      cases: SECRET.map((n) => ({ id: `n${n}`, input: n, expect: { returns: 2 * n } })),
    },
    HALF,
  ],
  trials: [],
}
/** As above, with checks that answer once: inputs of which feedback says nothing. */
const WITH_LANDING = {
  ...CHECKS,
  checks: [
    ...CHECKS.checks,
    {
      id: 'far',
      claim: 'doubles',
      role: 'behaviour',
      split: 'landing',
      scenario: 'scenarios/double.mjs',
      cases: [101, 202].map((n) => ({ id: `n${n}`, input: n, expect: { returns: 2 * n } })),
    },
  ],
}

let station: Station
let store: GitTreeStore
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
  store = await GitTreeStore.open(join(station.state, 'store.git'))
})
afterAll(() => station.close())

async function run(name: string, workers: readonly object[], checks: unknown, policy: object, files = {}) {
  const task = await writeTask(join(station.work, name), {
    request: REQUEST,
    checks: setFiles(checks),
    workers,
    policy: { race: 'all', ...policy },
    files,
  })
  const seen = await station.json(['run', task])
  const report = documentOf(seen) as Report
  return { code: seen.code, report, lines: station.journal(report.run) }
}

/** What was asked in one round, as numbers that the output gets right, and what was heard. */
interface Heard {
  readonly right: readonly number[]
  readonly failed: number
  readonly of: number
}

/**
 * A worker that gets a number right if one bit of it is set, in each round another; `first` says with which it begins. It
 * keeps what it heard in its tree, where the next round finds it.
 */
const spy = (first: number) => `
  cat > /tmp/spy.cjs <<'END'
  const fs = require('fs')
  const heard = fs.existsSync('heard.json') ? JSON.parse(fs.readFileSync('heard.json')) : []
  const told = process.env.ASSAY_FEEDBACK
  if (told) Object.assign(heard.at(-1), JSON.parse(fs.readFileSync(told)))
  const bit = (heard.length + ${first}) % 4
  const right = ${JSON.stringify(DOMAIN)}.filter((n) => (n >> bit) & 1)
  fs.writeFileSync('heard.json', JSON.stringify([...heard, { right }]))
  fs.writeFileSync('index.js', 'const right = ' + JSON.stringify(right) + '\\n' +
    'exports.double = (n) => (right.includes(n) ? n * 2 : n + 1)\\nexports.half = (n) => n / 2\\n')
END
  node /tmp/spy.cjs`

/** How many sets of five inputs fit everything that was heard. */
function fitting(heard: readonly Heard[]): number {
  return subsets(DOMAIN, SECRET.length).filter((inputs) =>
    heard.every(({ right, failed }) => inputs.filter((n) => !right.includes(n)).length === failed),
  ).length
}

function subsets(from: readonly number[], size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]]
  return from.flatMap((first, index) =>
    subsets(from.slice(index + 1), size - 1).map((rest) => [first, ...rest]),
  )
}

describe('a worker that reads the checks out through its own failures', () => {
  it('learns something, no more than the ledger says, and the ledger stops it at the budget of all attempts', async () => {
    const feedbackBits = 9
    const policy = { rounds: 10, feedbackBits, feedbackQuantumMs: QUANTUM_MS }
    const { code, report, lines } = await run('spies', [worker(spy(0)), worker(spy(2))], CHECKS, policy)
    expect(code).toBe(1)

    const told = eventsOf(lines, 'decided').flatMap(({ body: { decision } }) =>
      decision.do === 'feedback' ? [decision] : [],
    )
    const ledger = told.reduce((sum, { bits }) => sum + bits, 0)
    // Five behaviours and a guard: each reply is one of seven.
    expect(told.every(({ of, bits }) => of === 6 && bits === Math.log2(7))).toBe(true)
    expect(told).toHaveLength(Math.floor(feedbackBits / Math.log2(7)))
    expect(ledger).toBeLessThanOrEqual(feedbackBits)
    expect(eventsOf(lines, 'feedback-given')).toHaveLength(told.length)

    const heard: Heard[] = []
    for (const { tree = '' } of report.attempts) {
      const bytes = await store.readFile(tree, 'heard.json')
      const rounds = JSON.parse(Buffer.from(bytes ?? []).toString('utf8')) as readonly Partial<Heard>[]
      heard.push(...rounds.filter((round): round is Heard => round.failed !== undefined))
    }
    expect(heard.map(({ failed }) => failed).toSorted()).toEqual(told.map(({ failed }) => failed).toSorted())
    const all = fitting([])
    const left = fitting(heard)
    const gained = Math.log2(all / left)
    console.log(
      `the workers gained ${gained.toFixed(2)} bits of ${ledger.toFixed(2)} in the ledger, ${left} of ${all} sets left`,
    )
    // The channel is there, or this would measure nothing.
    expect(gained).toBeGreaterThan(1)
    expect(gained).toBeLessThanOrEqual(ledger)
    expect(left).toBeGreaterThan(1)
  })

  it('is answered at whole multiples of the quantum, however long its output makes the checks take', async () => {
    const slow = spy(0).replace(
      '(right.includes(n)',
      '(Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, right.includes(3) ? 700 : 1), right.includes(n)',
    )
    const policy = { rounds: 4, feedbackQuantumMs: QUANTUM_MS }
    const { lines } = await run('slow', [worker(slow)], CHECKS, policy)
    const delivered = eventsOf(lines, 'delivered').map(({ at }) => Date.parse(at))
    const tookMs = eventsOf(lines, 'feedback-given').map(
      ({ at }, index) => Date.parse(at) - delivered[index]!,
    )
    expect(tookMs).toHaveLength(3)
    for (const ms of tookMs) {
      expect(ms).toBeGreaterThanOrEqual(QUANTUM_MS)
      // On a multiple, but for what a busy machine makes a timer late.
      expect(ms % QUANTUM_MS).toBeLessThan(QUANTUM_MS / 2)
    }
  })
})

describe('checks for landing', () => {
  /** Right for every input that a reply could ever have told of, and for no other. */
  const NEAR = (n: number) => patchOf(`exports.double = (n) => (n < 100 ? n * 2 : n + ${n})`)
  const files = { 'a.diff': NEAR(1), 'b.diff': NEAR(2), 'c.diff': NEAR(3) }
  const workers = [patch('a.diff'), patch('b.diff'), patch('c.diff')]

  it('answer as often as the policy says; an output after that is not graded, and goes to a person', async () => {
    const { code, report, lines } = await run('spent', workers, WITH_LANDING, { landingAnswers: 2 }, files)
    expect(code).toBe(3)
    const graded = eventsOf(lines, 'graded').map(({ body }) => body)
    expect(graded).toHaveLength(2)
    for (const grade of graded) expect(grade).toMatchObject({ verdict: 'refuted', failed: 0, of: 6 })
    const [left] = [1, 2, 3].filter((attempt) => !graded.some((grade) => grade.attempt === attempt))
    expect(report.outcome).toMatchObject({
      outcome: 'held',
      decision: { cause: 'landing-spent', attempt: left },
    })
    expect(eventsOf(lines, 'feedback-given')).toEqual([])
  })

  it('say nothing in a reply: it counts the others only, and an output that fails none but them hears nothing', async () => {
    const script = `
      if [ -z "$ASSAY_FEEDBACK" ]; then sed -i 's/n + 1/n === 3 ? 6 : n + 1/' index.js; exit 0; fi
      cp "$ASSAY_FEEDBACK" told.json
      sed -i 's/n === 3 ? 6 : n + 1/n < 100 ? n * 2 : n + 1/' index.js`
    const { code, report, lines } = await run('silent', [worker(script)], WITH_LANDING, {
      rounds: 5,
      feedbackQuantumMs: 0,
    })
    expect(code).toBe(1)
    expect(report.attempts).toMatchObject([{ state: 'refuted', rounds: 2 }])
    const told = await store.readFile(report.attempts[0]?.tree ?? '', 'told.json')
    expect(Buffer.from(told ?? []).toString()).toBe('{"failed":4,"of":6}')
    expect(eventsOf(lines, 'graded').map(({ body: { failed } }) => failed)).toEqual([4, 0])
  })
})
