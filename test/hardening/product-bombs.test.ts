import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GradedChange } from '../../engine/grade/grade-change.ts'
import { documentOf } from '../support/assay.ts'
import { patchOf, setFiles, writeFiles, writeTask } from '../support/double-task.ts'
import { peakMebibytes } from '../support/memory.ts'
import { eventsOf, openStation, type Station } from '../support/station.ts'

let station: Station
let task: string
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
  task = await writeTask(join(station.work, 'task'), {
    limits: { product: { memoryMb: 128, processes: 32, tmpMb: 8, inodes: 2000, outputMb: 1 } },
  })
  expect((await station.json(['seal', task])).code).toBe(0)
})
afterAll(() => station.close())

const returning = (value: string) => `exports.double = (n) => ${value}`
const doing = (work: string) => `exports.double = (n) => { const fs = require('fs'); ${work}; return n * 2 }`
const refuted = (observation: object) => ({ code: 1, verdict: 'refuted', observation })
const verified = { code: 0, verdict: 'verified' }
/** Lists within lists, as they are recorded: what is deeper is cut. */
const cutAtDepth = (depth: number): object =>
  depth === 0 ? { $t: 'truncated', why: 'depth' } : [cutAtDepth(depth - 1)]

/** What double() does now, and what is seen of its first row. */
const BOMBS: Readonly<Record<string, readonly [line: string, expected: object]>> = {
  'takes all memory': [
    doing('const held = []; for (;;) held.push(Buffer.alloc(1 << 22, 1))'),
    refuted({ outcome: 'limit', limit: 'memory' }),
  ],
  'writes without end on the channel': [
    doing(`for (;;) fs.writeSync(3, 'x'.repeat(1e6))`),
    refuted({ outcome: 'limit', limit: 'output' }),
  ],
  'ends everything that it may': [doing('process.kill(-1, 9); for (;;);'), refuted({ outcome: 'crashed' })],
  'returns what is nested 100,000 deep': [
    returning('{ let all = []; for (let i = 0; i < 1e5; i += 1) all = [all]; return all }'),
    refuted({ outcome: 'returned', value: cutAtDepth(60) }),
  ],
  'returns 60 MB of escapes and NULs': [
    returning(`'\\u001b[31m\\0'.repeat(1e7)`),
    refuted({ outcome: 'returned', value: { $t: 'truncated', why: 'size' } }),
  ],
  // Only errors that a program may see: what the box does to others is nobody's business.
  'forks without end, and is right': [
    doing(
      `const { spawn } = require('child_process'); for (let i = 0; i < 200; i += 1) spawn('sleep', ['1000'], { stdio: 'ignore' }).on('error', () => {})`,
    ),
    verified,
  ],
  'fills its disk and its inodes, and is right': [
    doing(
      `try { for (let i = 0; ; i += 1) fs.writeFileSync('/tmp/run/tmp/' + i, '') } catch {}; try { fs.writeFileSync('/dev/shm/x', Buffer.alloc(1 << 26)) } catch {}`,
    ),
    verified,
  ],
  'prints 100 MB in one line with escapes, and is right': [
    doing(`for (let i = 0; i < 100; i += 1) fs.writeSync(1, '\\u001b[31m\\0'.repeat(160_000))`),
    verified,
  ],
}

describe('a product that', () => {
  it.concurrent.each(Object.entries(BOMBS))('%s', async (name, [line, expected]) => {
    const file = `${name.replaceAll(/\W+/g, '-')}.diff`
    await writeFiles(station.work, { [file]: patchOf(line) })
    const running = station.begin(['grade', task, '--diff', join(station.work, file)])
    const peak = await peakMebibytes(running)
    const seen = await running.ended
    const { verdict, grade } = documentOf(seen) as GradedChange
    const row = grade?.rows.find((each) => each.row === 'double#two')
    expect({ code: seen.code, verdict, observation: row?.runs[0]?.observation }).toMatchObject(expected)
    expect(peak).toBeLessThan(300)
  })
})

describe('an oracle that', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  it.concurrent.each([
    ['prints without end', 'yes >&2', 'limit'],
    ['makes files without end', 'cd "$ASSAY_CHECKS"; i=0; while :; do : > $i; i=$((i + 1)); done', 'limit'],
    [
      'hands in JSON that is nested 100,000 deep',
      'cp /assay/program/deep.json "$ASSAY_CHECKS/checks.json"',
      'unreadable',
    ],
    [
      'hands in a FIFO',
      'cp -r /assay/program/. "$ASSAY_CHECKS"; mkfifo "$ASSAY_CHECKS/scenarios/pipe.mjs"',
      'refused',
    ],
  ])('%s has no set', async (name, script, outcome) => {
    const of = await writeTask(join(station.work, name.replaceAll(/\W+/g, '-')), {
      oracle: { kind: 'command', argv: ['sh', '-c', script], program: 'author', label: 'made for tests' },
      workers: [{ kind: 'patch', file: 'right.diff' }],
      files: {
        'author/deep.json': deep,
        ...Object.fromEntries(Object.entries(setFiles()).map(([path, text]) => [`author/${path}`, text])),
      },
      limits: { worker: { memoryMb: 96, inodes: 1000, outputMb: 1, cpus: 0.5 } },
      policy: { oracleTries: 1 },
    })
    const running = station.begin(['run', of])
    const peak = await peakMebibytes(running)
    const seen = await running.ended
    expect(seen.code, seen.stderr).toBe(3)
    const { run } = documentOf(seen) as { run: string }
    expect(eventsOf(station.journal(run), 'oracle-tried').map(({ body }) => body.outcome)).toEqual([outcome])
    expect(peak).toBeLessThan(300)
  })
})
