import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replay } from '../engine/index.ts'
import type { Report } from '../engine/pure/report.ts'
import { digestOfBytes } from '../specs/digest.ts'
import type { Grade } from '../specs/grade.ts'
import type { EventBody } from '../specs/journal.ts'
import { assay, documentOf } from './support/assay.ts'
import { patch, patchOf, worker, writeTask } from './support/double-task.ts'
import { editHead, forge, forgeJournal } from './support/fixture.ts'
import { openStation, type Station } from './support/station.ts'

const NO_ENGINE = { DOCKER_HOST: 'unix:///nowhere/docker.sock' }

let station: Station
/** A fixture of three attempts: wrong in its first round and right in its second, only right for the example, refused. */
let fixture: string
let report: Report
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
  const learner = `if [ -z "$ASSAY_FEEDBACK" ]; then echo 1 > note; else sed -i 's/n + 1/n * 2/' index.js; fi`
  const task = await writeTask(join(station.work, 'task'), {
    workers: [worker(learner), patch('wrong.diff'), patch('other.diff')],
    files: { 'other.diff': patchOf('x').replace('n + 1', 'n + 2') },
    policy: { race: 'all' },
  })
  const seen = await station.json(['run', task])
  expect(seen.code, seen.stderr).toBe(0)
  report = documentOf(seen) as Report
  const packed = join(station.work, 'packed')
  expect(
    documentOf(
      await station.json(['fixture', 'pack', report.run, '--to', packed, '--provenance', 'made for tests']),
    ),
  ).toEqual({ directory: packed })
  fixture = join(station.work, 'far', 'away')
  await mkdir(join(station.work, 'far'))
  await rename(packed, fixture)
  // Nothing of where it was made is left.
  await rm(task, { recursive: true })
})
afterAll(() => station.close())

/** `assay replay` with a state directory that has never seen the run. */
async function replayed(directory: string, level: 'decisions' | 'grades', env = {}) {
  const argv = [
    '--state',
    join(station.work, 'other-state'),
    '--json',
    '--quiet',
    'replay',
    directory,
    '--level',
    level,
  ]
  return assay(argv, { env, cwd: '/' })
}

describe('a fixture that was moved', () => {
  it('holds what replay needs, and neither parcels nor logs', async () => {
    const files = (await readdir(fixture, { recursive: true })).filter((name) => name.startsWith('blobs/'))
    expect(files).toHaveLength(3)
    expect(await readFile(join(fixture, 'fixture.json'), 'utf8')).toContain('"provenance": "made for tests"')
  })

  it('replays its decisions with another state directory and no engine', async () => {
    const seen = await replayed(fixture, 'decisions', NO_ENGINE)
    expect(seen).toMatchObject({ code: 0, stderr: '' })
    const document = documentOf(seen) as { decisions: number; judged: number }
    expect(document).toMatchObject({ level: 'decisions', run: report.run, verdict: 'verified', graded: 0 })
    expect(document).not.toHaveProperty('divergence')
    // Three grades of three deciding rows and a canary.
    expect(document.judged).toBe(12)
    expect(document.decisions).toBeGreaterThan(10)
  })

  it('replays its grades in boxes, from the trees in its bundle', async () => {
    // Its own state directory, which has the images but not the trees.
    await rm(join(station.state, 'store.git'), { recursive: true })
    await rm(join(station.state, 'grades'), { recursive: true })
    const seen = await station.json(['replay', fixture, '--level', 'grades'])
    expect(seen.code, seen.stderr).toBe(0)
    expect(documentOf(seen)).toMatchObject({ level: 'grades', graded: 3, otherObservations: [] })
    expect(seen.stderr).toContain('attempt 2: refuted, 1 of 3 checks failed, as recorded')
  })

  it('replays from TypeScript', async () => {
    expect(await replay(fixture)).toMatchObject({ level: 'decisions', run: report.run })
  })

  it('is not packed over something, and not twice', async () => {
    const seen = await station.text(['fixture', 'pack', report.run, '--to', fixture])
    expect(seen).toMatchObject({ code: 2, stdout: '' })
    expect(seen.stderr).toMatch(/far\/away: there is something already/)
  })
})

describe('a fixture that is not what was packed', () => {
  const gradeFile = async (directory: string) =>
    (await readdir(join(directory, 'blobs'))).map((name) => `blobs/${name}`).toSorted()[0]!
  const changeByte = async (directory: string, file: string) => {
    const path = join(directory, file)
    const bytes = await readFile(path)
    bytes[bytes.length - 30]! ^= 1
    await writeFile(path, bytes)
  }
  const copy = async (name: string) => {
    const directory = join(station.work, 'spoiled', name)
    await cp(fixture, directory, { recursive: true })
    return directory
  }

  const cases: readonly { what: string; line: RegExp; spoil: (directory: string) => Promise<void> }[] = [
    {
      what: 'an event changed',
      line: /journal\.jsonl: its content is not what fixture\.json says/,
      spoil: (directory) => changeByte(directory, 'journal.jsonl'),
    },
    {
      what: 'an event changed, and the list of files with it',
      line: /journal\.jsonl: line \d+: its hash does not match its content; last good event: \d+ \(\S+\); nothing was changed/,
      spoil: async (directory) => {
        const text = await readFile(join(directory, 'journal.jsonl'), 'utf8')
        await forge(
          directory,
          'journal.jsonl',
          text.replace('"do":"feedback"', '"do":"feedback" ').replace('"failed":2', '"failed":1'),
        )
      },
    },
    {
      what: 'a journal that was cut off, and the list of files with it',
      line: /journal\.jsonl: line \d+: the last line was cut off; last good event: \d+/,
      spoil: async (directory) => {
        const bytes = await readFile(join(directory, 'journal.jsonl'))
        await forge(directory, 'journal.jsonl', bytes.subarray(0, -10))
      },
    },
    {
      what: 'a grade changed',
      line: /blobs\/sha256-\S+: its content is not what fixture\.json says/,
      spoil: async (directory) => changeByte(directory, await gradeFile(directory)),
    },
    {
      what: 'a grade changed, and the list of files with it',
      line: /blobs\/sha256-\S+: its content does not match its name/,
      spoil: async (directory) => {
        const file = await gradeFile(directory)
        const text = await readFile(join(directory, file), 'utf8')
        // Which of the three grades it is depends on their names.
        const forged = text.replaceAll(/"verdict":"(verified|refuted)"/g, (_, verdict) =>
          verdict === 'verified' ? '"verdict":"refuted"' : '"verdict":"verified"',
        )
        expect(forged).not.toBe(text)
        await forge(directory, file, forged)
      },
    },
    {
      what: 'a sealed scenario changed, and the list of files with it',
      line: /seal.*scenarios\/double\.mjs/,
      spoil: (directory) => forge(directory, 'sealed/set/scenarios/double.mjs', 'export default () => 4'),
    },
    {
      what: 'an expectation changed, and the list of files with it',
      line: /seal.*checks\.json/,
      spoil: async (directory) => {
        const text = await readFile(join(directory, 'sealed/set/checks.json'), 'utf8')
        await forge(directory, 'sealed/set/checks.json', text.replace('"returns": 10', '"returns": 6'))
      },
    },
    {
      what: 'a file missing',
      line: /request\.md: missing, but listed in fixture\.json/,
      spoil: (directory) => rm(join(directory, 'request.md')),
    },
    {
      what: 'a file more',
      line: /more\.txt: there, but not listed/,
      spoil: (directory) => writeFile(join(directory, 'more.txt'), ''),
    },
    {
      what: 'another version',
      line: /fixture\.json: fixture version 2, this assay reads version 1/,
      spoil: (directory) => editHead(directory, (head) => (head['version'] = 2)),
    },
    {
      what: 'an unknown key',
      line: /fixture\.json: \(top\): unknown key "colour"/,
      spoil: (directory) => editHead(directory, (head) => (head['colour'] = 'red')),
    },
    {
      what: 'no JSON',
      line: /fixture\.json: not JSON/,
      spoil: (directory) => writeFile(join(directory, 'fixture.json'), '{'),
    },
  ]
  it.concurrent.each(cases)(
    '$what: exit 2, one line, at both levels the same',
    async ({ what, line, spoil }) => {
      const directory = await copy(what.replaceAll(/\W+/g, '-'))
      await spoil(directory)
      for (const level of ['decisions', 'grades'] as const) {
        const seen = await replayed(directory, level, NO_ENGINE)
        expect(seen.stderr).toMatch(line)
        expect(seen.stderr.trimEnd().split('\n')).toHaveLength(1)
        expect(seen.code).toBe(2)
        expect((documentOf(seen) as { error: { message: string } }).error.message).toMatch(line)
      }
    },
  )
})

describe('a fixture that was forged whole', () => {
  const copy = async (name: string) => {
    const directory = join(station.work, 'forged', name)
    await cp(fixture, directory, { recursive: true })
    return directory
  }
  async function diverges(directory: string) {
    const seen = await replayed(directory, 'decisions', NO_ENGINE)
    expect(seen, seen.stderr).toMatchObject({ code: 1, stderr: '' })
    const { divergence } = documentOf(seen) as {
      divergence: { seq: number; what: string; recorded: string; replayed: string }
    }
    const text = await assay(['--state', join(station.work, 'other-state'), '--quiet', 'replay', directory], {
      env: NO_ENGINE,
    })
    expect(text.code).toBe(1)
    expect(text.stdout).toContain(`different at event ${divergence.seq}: ${divergence.what}`)
    return divergence
  }

  it('another decision: the event is named, with what was recorded and what comes out now', async () => {
    const directory = await copy('decision')
    let at = -1
    await forgeJournal(directory, (body, seq) => {
      if (body.type !== 'decided' || body.decision.do !== 'complete') return body
      at = seq
      return { type: 'decided', decision: { do: 'complete', attempt: 2 } }
    })
    expect(await diverges(directory)).toEqual({
      seq: at,
      what: 'decision',
      recorded: '{"attempt":2,"do":"complete"}',
      replayed: '{"attempt":1,"do":"complete"}',
    })
  })

  it('an end that is left out', async () => {
    const directory = await copy('end')
    const text = await readFile(join(directory, 'journal.jsonl'), 'utf8')
    const lines = text.trimEnd().split('\n')
    await forge(directory, 'journal.jsonl', `${lines.slice(0, -1).join('\n')}\n`)
    expect(await diverges(directory)).toMatchObject({
      seq: lines.length - 1,
      recorded: '(end of the journal)',
    })
  })

  /** Puts another grade in the place of the one that is refuted last. */
  async function forgeGrade(
    directory: string,
    edit: (grade: Grade) => Grade,
    events: Partial<EventBody> = {},
  ) {
    let at = -1
    const files: [string, string][] = []
    const original = new Map<string, string>()
    for (const name of await readdir(join(directory, 'blobs'))) {
      original.set(name.replace('-', ':'), await readFile(join(directory, 'blobs', name), 'utf8'))
    }
    await forgeJournal(directory, (body, seq) => {
      if (body.type !== 'graded' || body.attempt !== 2) return body
      const text = JSON.stringify(edit(JSON.parse(original.get(body.grade)!) as Grade))
      const digest = digestOfBytes(text)
      files.push([`blobs/${digest.replace(':', '-')}`, text])
      at = seq
      return { ...body, grade: digest, ...events } as EventBody
    })
    for (const [file, text] of files) await forge(directory, file, text)
    // The one that nothing names any longer may stay: the list of files has it.
    return at
  }

  it('an observation: judged again it does not give the result that is recorded', async () => {
    const directory = await copy('observation')
    const at = await forgeGrade(directory, (grade) => ({
      ...grade,
      rows: grade.rows.map((row) =>
        row.row === 'double#five'
          ? {
              ...row,
              runs: row.runs.map((run) => ({ ...run, observation: { ...run.observation, value: 10 } })),
            }
          : row,
      ),
    }))
    const found = await diverges(directory)
    expect(found).toMatchObject({ seq: at, what: 'double#five', recorded: 'fail', replayed: 'pass' })
  })

  it('a verdict: the observations do not bear it out', async () => {
    const directory = await copy('verdict')
    const at = await forgeGrade(directory, (grade) => ({
      ...grade,
      verdict: 'verified',
      failed: 0,
      claims: grade.claims.map((claim) => ({ ...claim, verdict: 'verified' })),
      rows: grade.rows.map((row) =>
        row.row === 'double#five'
          ? { ...row, result: 'pass', runs: row.runs.map(({ observation }) => ({ observation, pass: true })) }
          : row,
      ),
    }))
    expect(await diverges(directory)).toMatchObject({
      seq: at,
      what: 'double#five',
      recorded: 'pass',
      replayed: 'fail',
    })
  })
})
