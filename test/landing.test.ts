import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { parseTrailers } from '../engine/pure/landing-message.ts'
import type { Report } from '../engine/pure/report.ts'
import { documentOf } from './support/assay.ts'
import { CHECKS, CLAIMS, patch, QUICK, setFiles, worker, writeTask } from './support/double-task.ts'
import { eventsOf, openStation, type Station } from './support/station.ts'
import { LandingRepository, LANDS_AS } from './support/target.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

type Changes = Parameters<typeof writeTask>[1]

async function land(
  name: string,
  target: LandingRepository,
  changes: Changes = { workers: [patch('right.diff')] },
) {
  const task = await writeTask(join(station.work, name), changes)
  const seen = await station.json(['run', task, '--land', target.land], { env: LANDS_AS })
  const report = documentOf(seen) as Report
  return { code: seen.code, seen, report, lines: station.journal(report.run) }
}
const newTarget = () => LandingRepository.make(station.work)
const resolve = (run: string, ...how: string[]) => station.json(['held', 'resolve', run, ...how])

describe('a verified output', () => {
  it('lands to the byte, with who, what and on which evidence', async () => {
    const target = await newTarget()
    const { code, report, lines, seen } = await land('byte', target)
    expect(code, seen.stderr).toBe(0)
    const head = await target.head()
    expect(report.landing).toMatchObject({ branch: 'main', commit: head, moves: 0 })
    expect(await target.say(['rev-parse', 'main^{tree}'])).toBe(report.attempts[0]?.tree)
    expect(await target.say(['log', '-1', '--format=%an <%ae>|%cn|%s'])).toBe(
      'Assay User <user@example.org>|Assay User|double() adds one instead of doubling',
    )
    const trailers = parseTrailers(await target.say(['log', '-1', '--format=%B']))
    expect(trailers).toMatchObject({
      run: report.run,
      verdict: 'verified',
      seal: report.seal?.seal,
      accepted: [],
    })
    const [graded] = eventsOf(lines, 'graded')
    expect(trailers?.grade).toBe(graded?.body.grade)
    const order = lines.map(({ body }) => (body.type === 'decided' ? body.decision.do : body.type))
    expect(order.slice(-7)).toEqual(['merge', 'merged', 'commit', 'committed', 'land', 'landed', 'complete'])
  })

  it('is merged with what landed meanwhile, graded again, and lands on top of it', async () => {
    const target = await newTarget()
    const other = await target.put({ 'docs/about.md': 'Doubles, halves, and more.\n' })
    const { code, report, lines } = await land('moved', target)
    expect(code).toBe(0)
    expect(await target.say(['rev-parse', 'main^'])).toBe(other)
    const [regraded] = eventsOf(lines, 'regraded')
    expect(regraded?.body).toMatchObject({
      verdict: 'verified',
      tree: await target.say(['rev-parse', 'main^{tree}']),
    })
    expect(await target.say(['show', 'main:docs/about.md'])).toBe('Doubles, halves, and more.')
    expect(await target.say(['show', 'main:index.js'])).toContain('n * 2')
    expect(report.landing?.commit).toBe(await target.head())
  })

  it('of a task whose branch breaks it meanwhile is held, and lands nothing', async () => {
    const target = await newTarget()
    // Merges without a conflict, and makes double() wrong for five.
    const other = await target.put({
      'package.json': `${JSON.stringify({ name: 'double-for-tests', version: '1.0.0', main: 'other.js' }, null, 2)}\n`,
      'other.js':
        "const { half } = require('./index.js')\nexports.double = (n) => n + 1\nexports.half = half\n",
    })
    const { code, report } = await land('broken', target)
    expect(code).toBe(3)
    expect(report.outcome).toMatchObject({
      outcome: 'held',
      decision: { cause: 'merge-refuted', attempt: 1 },
    })
    expect(await target.head()).toBe(other)
  })

  it('that conflicts is held with the paths; when the branch is back, a retry lands it', async () => {
    const target = await newTarget()
    const before = await target.head()
    await target.put({ 'index.js': 'exports.double = (n) => n + 3\nexports.half = (n) => n / 2\n' })
    const { code, report, lines } = await land('conflict', target)
    expect(code).toBe(3)
    expect(report.outcome).toMatchObject({
      outcome: 'held',
      decision: { cause: 'conflict', missing: 'a merge of index.js' },
    })
    expect(eventsOf(lines, 'merge-conflict')[0]?.body.paths).toEqual(['index.js'])
    await target.say(['update-ref', 'refs/heads/main', before ?? ''])
    const again = await resolve(report.run, '--retry', '--reason', 'the other change was taken back')
    expect(again.code, again.stderr).toBe(0)
    expect((documentOf(again) as Report).landing?.commit).toBe(await target.head())
    expect(await target.say(['show', 'main:index.js'])).toContain('n * 2')
  })

  it('that changes protected paths waits for a person, and lands when one lets it', async () => {
    const target = await newTarget()
    const { report, code } = await land('protected', target, {
      workers: [
        worker(
          "sed -i 's/n + 1/n * 2/' index.js; mkdir -p .github/workflows; echo 'on: push' > .github/workflows/x.yml",
        ),
      ],
    })
    expect(code).toBe(3)
    expect(report.outcome).toMatchObject({
      decision: { cause: 'protected-paths', missing: 'leave to change .github/workflows/x.yml' },
    })
    const shown = documentOf(await station.json(['held', 'show', report.run]))
    expect(shown).toMatchObject({ cause: 'protected-paths', acceptable: true, attempt: 1 })
    expect(documentOf(await station.json(['held']))).toContainEqual(
      expect.objectContaining({ run: report.run }),
    )
    const accepted = await resolve(report.run, '--accept', '--reason', 'the workflow is wanted')
    expect(accepted.code, accepted.stderr).toBe(0)
    const done = documentOf(accepted) as Report
    expect(done).toMatchObject({ verdict: 'verified', outcome: { accepted: ['protected-paths'] } })
    expect(done.resolved).toMatchObject([{ how: 'accept', reason: 'the workflow is wanted' }])
    expect(await target.say(['show', 'main:.github/workflows/x.yml'])).toBe('on: push')
    expect(parseTrailers(await target.say(['log', '-1', '--format=%B']))?.accepted[0]).toMatch(
      /^protected-paths by /,
    )
    const twice = await resolve(report.run, '--accept', '--reason', 'again')
    expect(twice.code).toBe(2)
    expect(twice.stderr).toContain('expected a run that is held; it is completed')
  })

  it('of several runs at once lands one after the other, each on top of those before', async () => {
    const target = await newTarget()
    const names = ['a', 'b', 'c']
    const outputs = names.map((name) => ({
      workers: [worker(`sed -i 's/n + 1/n * 2/' index.js; echo ${name} > ${name}.txt`)],
    }))
    // The same fix in all: what is left of the later ones is their own file.
    const runs = await Promise.all(
      outputs.map((changes, index) => land(`queue-${names[index]}`, target, changes)),
    )
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(await target.say(['rev-list', '--count', 'main'])).toBe('4')
    const paths = (await target.say(['ls-tree', '--name-only', 'main'])).split('\n')
    for (const name of names) expect(paths).toContain(`${name}.txt`)
    const commits = (await target.say(['rev-list', 'main'])).split('\n')
    for (const { report } of runs) expect(commits).toContain(report.landing?.commit)
  })
})

describe('where nothing can land', () => {
  it.each([
    ['no branch in it', 'x', /expected REPO#BRANCH/],
    ['a branch that is not there', '#other', /expected a branch other; it has main/],
    ['a name that is none', '#-x', /no name of a branch/],
  ])('is told before anything runs: %s', async (_, tail, message) => {
    const target = await newTarget()
    const task = await writeTask(join(station.work, 'nowhere'), { workers: [patch('right.diff')] })
    const text = tail.startsWith('#') ? `${target.path}${tail}` : tail
    const before = await station.runs()
    const seen = await station.json(['run', task, '--land', text], { env: LANDS_AS })
    expect(seen.code).toBe(2)
    expect(seen.stderr).toMatch(message)
    expect(await station.runs()).toEqual(before)
  })
})

/** One claim more, which no check settles. */
const UNSETTLED = {
  ...CHECKS,
  claims: [...CLAIMS, { ...CLAIMS[0], id: 'server', statement: 'the server doubles, too' }],
  unverifiable: [{ claim: 'server', missing: 'a server to ask', gap: 'fixture' }],
}

describe('a run that is held', () => {
  const held = async (name: string) => {
    const changes = { workers: [patch('right.diff')], checks: setFiles(UNSETTLED) }
    const seen = await station.json(['run', await writeTask(join(station.work, name), changes)])
    expect(seen.code, seen.stderr).toBe(3)
    return documentOf(seen) as Report
  }
  const NO_ENGINE = ['--docker-host', 'unix:///nonexistent.sock']

  it('is listed, shown with its gap, and rejected where no engine answers; then it is finished', async () => {
    const { run, outcome } = await held('rejected')
    expect(outcome).toMatchObject({
      decision: { cause: 'unverifiable', gap: 'fixture', missing: 'a server to ask' },
    })
    expect(documentOf(await station.json([...NO_ENGINE, 'held', 'list']))).toContainEqual(
      expect.objectContaining({ run }),
    )
    const shown = await station.text([...NO_ENGINE, 'held', 'show', run])
    expect(shown.stdout).toMatch(/gap: fixture[\s\S]*a server to ask[\s\S]*the server doubles, too/)
    expect(shown.stdout).toContain(`assay held resolve ${run} --accept --reason TEXT`)
    const rejected = await station.json([...NO_ENGINE, 'held', 'resolve', run, '--reject', '--reason', 'no'])
    expect(rejected.code, rejected.stderr).toBe(1)
    expect(documentOf(rejected)).toMatchObject({
      verdict: 'refuted',
      outcome: { outcome: 'refuted', by: 'person' },
      resolved: [{ how: 'reject', cause: 'unverifiable', reason: 'no' }],
    })
    expect(documentOf(await station.json(['held']))).not.toContainEqual(expect.objectContaining({ run }))
  })

  it('is accepted by a person, which makes it no more verified', async () => {
    const { run } = await held('accepted')
    const accepted = await station.json([
      ...NO_ENGINE,
      'held',
      'resolve',
      run,
      '--accept',
      '--reason',
      'looked at it',
    ])
    expect(accepted.code, accepted.stderr).toBe(0)
    expect(documentOf(accepted)).toMatchObject({
      verdict: 'unverifiable',
      outcome: { outcome: 'completed', attempt: 1, accepted: ['unverifiable'] },
    })
    const replayed = await station.json(['report', run])
    expect(documentOf(replayed)).toMatchObject({ resolved: [{ by: expect.stringMatching(/.@./) as string }] })
  })

  it('is graded anew on a retry, whatever was graded before, and held again', async () => {
    const { run } = await held('retried')
    const retried = await resolve(run, '--retry', '--reason', 'once more')
    expect(retried.code, retried.stderr).toBe(3)
    const graded = eventsOf(station.journal(run), 'graded').map(({ body }) => body.cached)
    expect(graded).toEqual([expect.any(Boolean), false])
  })

  it.each([
    [['--accept'], /expected --reason TEXT/],
    [['--accept', '--reject', '--reason', 'x'], /expected exactly one of/],
    [['--reason', 'x'], /expected exactly one of/],
    [['--accept', '--attempt', '2', '--reason', 'x'], /is held for attempt 1/],
  ])('is not resolved by half an answer: %j', async (how, message) => {
    const { run } = await held('half')
    const seen = await resolve(run, ...how)
    expect(seen.code).toBe(2)
    expect(seen.stderr).toMatch(message)
  })

  it('is told to an address that a policy file names; where nobody answers only its host is named', async () => {
    const bodies: string[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (piece: Buffer) => (body += piece.toString('utf8')))
      request.on('end', () => {
        bodies.push(body)
        response.end()
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const policy = join(station.work, 'webhook.yaml')
    await writeFile(
      policy,
      stringify({ ...QUICK, notify: { webhook: `http://127.0.0.1:${port}/hook?token=s3cret` } }),
    )
    const changes = { workers: [patch('right.diff')], checks: setFiles(UNSETTLED) }
    const task = await writeTask(join(station.work, 'webhook'), changes)
    const { run } = documentOf(await station.json(['run', task, '--policy', policy])) as Report
    expect(bodies.map((body) => JSON.parse(body) as unknown)).toMatchObject([{ event: 'held', run }])
    server.close()
    const alone = await station.json(['run', task, '--policy', policy])
    expect(alone.code).toBe(3)
    expect(alone.stderr).toContain(`notify: 127.0.0.1:${port}: `)
    const record = (await readFile(join(station.state, 'runs', run, 'journal.jsonl'), 'utf8')) + alone.stderr
    expect(record).not.toContain('s3cret')
  })

  it('is told to a command that a policy file names, with the hold as its stdin', async () => {
    const file = join(station.work, 'told.json')
    const policy = join(station.work, 'policy.yaml')
    await writeFile(policy, stringify({ ...QUICK, notify: { command: ['sh', '-c', `cat > ${file}`] } }))
    const task = await writeTask(join(station.work, 'told'), {
      workers: [patch('right.diff')],
      checks: setFiles(UNSETTLED),
    })
    const report = documentOf(await station.json(['run', task, '--policy', policy])) as Report
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      event: 'held',
      run: report.run,
      cause: 'unverifiable',
      missing: 'a server to ask',
    })
    await writeTask(join(station.work, 'own'), { policy: { notify: { command: ['true'] } } })
    const own = await station.json(['run', join(station.work, 'own')])
    expect(own.code).toBe(2)
    expect(own.stderr).toMatch(/policy: .*notify/)
  })
})
