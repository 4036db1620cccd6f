import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../engine/pure/report.ts'
import type { JournalLine } from '../specs/journal.ts'
import type { Seal } from '../specs/seal.ts'
import { documentOf } from './support/assay.ts'
import {
  CHECKS_NOT_ADMITTED,
  patch,
  setFiles,
  worker,
  writeTask,
  type TaskChanges,
} from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const below = (folder: string, files: Record<string, string>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))

/** An author's program: a set that admission refuses (a row that base passes already), and one that it takes. */
const PROGRAM = {
  ...below('author/bad', setFiles(CHECKS_NOT_ADMITTED)),
  ...below('author/good', setFiles()),
}
const author = (script: string) => ({
  kind: 'command',
  argv: ['sh', '-c', script],
  program: 'author',
  label: 'made for tests',
})
const HAND_IN = (which: string) => `cp -r /assay/program/${which}/. "$ASSAY_CHECKS"`

async function run(name: string, changes: TaskChanges) {
  const task = await writeTask(join(station.work, name), { files: PROGRAM, ...changes })
  const seen = await station.json(['run', task])
  const report = documentOf(seen) as Report
  const lines = station.journal(report.run)
  const log = async (digest: string | undefined) =>
    digest === undefined
      ? ''
      : readFile(join(station.state, 'runs', report.run, 'blobs', digest.replace(':', '-')), 'utf8')
  return { code: seen.code, report, lines, log }
}

const seqOf = (lines: readonly JournalLine[], type: JournalLine['body']['type']) =>
  lines.find(({ body }) => body.type === type)!.seq

describe('a command as author', () => {
  it('is told why its first set was not admitted, and its second is sealed', async () => {
    const script = `
      if [ -z "$ASSAY_ADMISSION" ]; then ${HAND_IN('bad')}; exit 0; fi
      echo "told: $(node -p 'require("/assay/admission.json").reasons.join(" / ")')" >&2
      ${HAND_IN('good')}`
    const { code, report, lines, log } = await run('second-try', {
      oracle: author(script),
      workers: [patch('right.diff')],
    })
    expect(code).toBe(0)
    const tries = eventsOf(lines, 'oracle-tried').map(({ body }) => body)
    expect(tries).toMatchObject([
      { try: 1, outcome: 'not-admitted' },
      { try: 2, outcome: 'admitted', reasons: 0 },
    ])
    expect(tries[0]?.reasons).toBeGreaterThan(0)
    // What it was told is what admission found: the row by its place, and why it is void.
    expect(await log(tries[1]?.log)).toMatch(
      /told: checks\[0\]\.cases\[0\].*double#one.*already-passes-on-base/s,
    )
    expect(report.seal).toMatchObject({ author: 'made for tests', claims: 2, valid: 4, void: [] })
  })

  it('sees the request and base, and nothing of the worker that works beside it', async () => {
    const script = `
      set -e
      ls -A . > /tmp/tree; ls -A /assay > /tmp/papers; ls /sys/class/net > /tmp/net
      { tr '\\n' ' ' < /tmp/tree; tr '\\n' ' ' < /tmp/papers; tr '\\n' ' ' < /tmp/net; cat "$ASSAY_REQUEST"; env | grep -c ASSAY_FEEDBACK || true; } >&2
      sleep 3; ls -A . | grep -c from-the-worker >&2 || true
      ${HAND_IN('good')}`
    const { code, lines, log } = await run('beside', {
      oracle: author(script),
      workers: [worker("echo 1 > from-the-worker; sed -i 's/n + 1/n * 2/' index.js")],
    })
    expect(code).toBe(0)
    const [tried] = eventsOf(lines, 'oracle-tried')
    expect(await log(tried?.body.log)).toMatch(
      /\.gitignore docs index\.js package\.json checks program request\.md lo # double\(\) adds one.*\n0\n0\n/s,
    )
    // Side by side: the worker began after the oracle and was done before it; nothing was opened until the seal.
    const [sealing, starting] = ['seal', 'start'].map(
      (what) => eventsOf(lines, 'decided').find(({ body }) => body.decision.do === what)!.seq,
    )
    const order = [
      sealing!,
      starting!,
      seqOf(lines, 'delivered'),
      seqOf(lines, 'sealed'),
      seqOf(lines, 'opened'),
    ]
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  it('that never gets a set admitted: exit 3, held as not-sealed, and the workers are stopped', async () => {
    const { code, report, lines } = await run('never', {
      oracle: author(`${HAND_IN('bad')}; rm -r "$ASSAY_CHECKS/scenarios"`),
      workers: [worker('sleep 600'), patch('right.diff')],
    })
    expect(code).toBe(3)
    expect(report).toMatchObject({
      verdict: 'unverifiable',
      outcome: { outcome: 'held', decision: { cause: 'not-sealed', gap: 'spec' } },
    })
    expect(eventsOf(lines, 'oracle-tried').map(({ body }) => body.outcome)).toEqual([
      'unreadable',
      'unreadable',
    ])
    expect(eventsOf(lines, 'stopped').map(({ body }) => body.attempt)).toEqual([1])
    expect([...eventsOf(lines, 'opened'), ...eventsOf(lines, 'graded')]).toEqual([])
    const text = await station.text(['report', report.run])
    expect(text.stdout).toMatch(
      /held for a person: not-sealed, gap: spec; missing: checks\.json.*scenarios\/double\.mjs/,
    )
  })

  it.concurrent.each([
    ['fails', `${HAND_IN('good')}; exit 1`, 'refused'],
    ['hands in nothing', 'true', 'nothing'],
    ['runs out of time', `${HAND_IN('good')}; sleep 60`, 'timeout'],
  ])('that %s has no set', async (name, script, outcome) => {
    const { code, lines } = await run(name.replaceAll(' ', '-'), {
      oracle: author(script),
      workers: [patch('right.diff')],
      policy: { oracleTries: 1, oracleTimeoutMs: 3000 },
    })
    expect(code).toBe(3)
    expect(eventsOf(lines, 'oracle-tried').map(({ body }) => body.outcome)).toEqual([outcome])
  })
})

describe('assay seal', () => {
  it('makes and admits the set alone, and takes it again the next time', async () => {
    const task = await writeTask(join(station.work, 'alone'), {
      oracle: author(HAND_IN('good')),
      files: PROGRAM,
    })
    const first = await station.json(['seal', task])
    expect(first.code).toBe(0)
    const made = documentOf(first) as Seal & { reused: boolean }
    expect(made).toMatchObject({ kind: 'sealed', reused: false })
    expect(documentOf(await station.json(['seal', task]))).toMatchObject({ reused: true, seal: made.seal })
    const fresh = documentOf(await station.json(['seal', task, '--fresh'])) as Seal
    expect(fresh).toMatchObject({ reused: false })
    expect(fresh.seal).not.toBe(made.seal)
  })

  it('without another try drops what is void, and says so', async () => {
    const task = await writeTask(join(station.work, 'dropped'), {
      oracle: author(HAND_IN('bad')),
      files: PROGRAM,
      policy: { oracleTries: 1 },
    })
    const { code, stdout } = await station.text(['seal', task])
    expect(code).toBe(0)
    expect(stdout).toMatch(/! dropped: checks\[0\]\.cases\[0\].*already-passes-on-base/)
    expect(stdout).toMatch(/void double#one: /)
  })

  it('says why a set is not admitted: exit 3', async () => {
    const task = await writeTask(join(station.work, 'not-admitted'), {
      oracle: author(`${HAND_IN('good')}; rm "$ASSAY_CHECKS/scenarios/half.mjs"`),
      files: PROGRAM,
      policy: { oracleTries: 1 },
    })
    const seen = await station.json(['seal', task])
    expect(seen.code).toBe(3)
    const { kind, reasons } = documentOf(seen) as { kind: string; reasons: string[] }
    expect(kind).toBe('not-admitted')
    expect(reasons.join()).toMatch(/^checks\.json: checks\[1\]\.scenario: .*half\.mjs/)
  })
})
