import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Report } from '../engine/pure/report.ts'
import { documentOf } from './support/assay.ts'
import { CHECKS, patch, setFiles, worker, writeFiles, writeTask } from './support/double-task.ts'
import { gitIn } from './support/git.ts'
import { openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['base', 'node', 'judge', 'worker', 'python'])
})
afterAll(() => station.close())

describe('--json', () => {
  it('is one document on stdout of every command, and nothing else', async () => {
    const task = await writeTask(join(station.work, 'task'), { workers: [patch('right.diff')] })
    const repository = join(station.work, 'repository')
    await writeFiles(repository, { 'package.json': '{}' })
    gitIn(repository, ['init', '-q'])
    gitIn(repository, ['add', '.'])
    gitIn(repository, ['commit', '-qm', 'made for tests'])
    const { run } = documentOf(await station.json(['run', task])) as Report
    const fixture = join(station.work, 'fixture')
    const documents: [string[], number, object][] = [
      [['seal', task], 0, { kind: 'sealed' }],
      [['grade', task, '--diff', join(task, 'wrong.diff')], 1, { verdict: 'refuted' }],
      [['report', run], 0, { run, verdict: 'verified' }],
      [['fixture', 'pack', run, '--to', fixture], 0, { directory: fixture }],
      [['replay', fixture], 0, { level: 'decisions' }],
      [['replay', fixture, '--level', 'grades'], 0, { level: 'grades', graded: 1 }],
      [['demo', fixture], 0, { run, divergence: null }],
      [['doctor'], 0, {}],
      [['images', 'list'], 0, []],
      [['images', 'verify'], 0, []],
      [['images', 'build', 'node'], 0, [{ name: 'node' }]],
      [['init', 'made-for-tests'], 0, { id: 'made-for-tests' }],
    ]
    for (const [argv, code, part] of documents) {
      const seen = await station.json(argv, { cwd: repository })
      const document = documentOf(seen)
      expect(seen.code, `${argv.join(' ')}: ${seen.stderr}`).toBe(code)
      if (!Array.isArray(document)) expect(document).toMatchObject(part)
      else expect(document.length >= (part as unknown[]).length).toBe(true)
    }
  })
})

describe('what a person sees', () => {
  const ESC = '\u001b[31m\u001b]0;title\u0007\r\u202e'
  it('has no escape that came from a label, a claim, a file name or a product', async () => {
    const request = `\`double(n)\` must return twice its number. \`half(n)\` stays${ESC} as it is.\n`
    const task = await writeTask(join(station.work, 'hostile'), {
      request,
      workers: [
        worker(`touch "$(printf 'a\\033[31mb')"`, { label: `label${ESC}` }),
        worker(
          `printf '\\033[31mprinted' >&2; printf 'exports.double = () => { throw new Error("\\\\u001b[31mthrown\\\\r") }\\nexports.half = (n) => n / 2\\n' > index.js`,
        ),
        worker('ln -s "$(printf \'/etc/\\033[31m\')" link'),
      ],
      checks: setFiles({
        ...CHECKS,
        claims: CHECKS.claims.map((claim, index) =>
          index === 0
            ? { ...claim, statement: `statement${ESC}` }
            : { ...claim, spec_ref: `\`half(n)\` stays${ESC} as it is.` },
        ),
      }),
      policy: { race: 'all', rounds: 1 },
    })
    const seen = await station.text(['run', task])
    expect(seen.code).toBe(1)
    const all = `${seen.stdout}${seen.stderr}`
    expect(all).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    // Shown all the same, written out.
    expect(seen.stdout).toContain('label\\u001b[31m')
    expect(seen.stdout).toContain('statement\\u001b[31m')
    expect(seen.stdout).toContain('thrown')
    const [run] = (await station.runs()).toReversed()
    const report = await station.text(['report', run!])
    expect(report.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
  })

  it('has a line for each step on stderr, and none with --quiet', async () => {
    const task = await writeTask(join(station.work, 'steps'), { workers: [patch('wrong.diff')] })
    const seen = await station.text(['run', task])
    for (const step of [
      'oracle: writing checks',
      'attempt 1: round 1 begins',
      'sealed',
      'gate passed',
      'refuted',
    ]) {
      expect(seen.stderr).toContain(step)
    }
    expect(seen.stdout).toMatch(/verdict {2}refuted: no attempt did what was asked, exit 1/)
    expect((await station.text(['--quiet', 'run', task])).stderr).toBe('')
  })
})
