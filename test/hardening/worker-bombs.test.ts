import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Report } from '../../engine/pure/report.ts'
import { documentOf } from '../support/assay.ts'
import { worker, writeTask } from '../support/double-task.ts'
import { peakMebibytes } from '../support/memory.ts'
import { eventsOf, openStation, type Station } from '../support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const FIX = "sed -i 's/n + 1/n * 2/' index.js"
const python = (program: string) => `python3 - <<'END'\n${program}\nEND`
const exited = { kind: 'exited' } as const
const limit = (which: string) => ({ kind: 'limit', limit: which })
const refusedFor = (reason: string, detail: RegExp) => ({
  state: 'refused',
  refusal: { reason, detail: expect.stringMatching(detail) as string },
})
const OVER_DISK = { end: limit('disk'), ...refusedFor('tree-too-large', /disk limit/) }

/** Tries that end with nothing but an error number, or with what is harmless once it is a tree: in one box, in turn. */
const HARMLESS = [
  python('files = []\ntry:\n  while True: files.append(open("index.js"))\nexcept OSError: pass'),
  'truncate -s 1T big',
  'mknod device c 1 3',
  'cp /bin/true own; chmod 6755 own',
  'touch $(printf "x%.0s" $(seq 255))',
  'mkdir closed; echo 1 > closed/file; chmod 0 closed/file closed',
  'ln index.js again.js; ln -s a b; ln -s b a',
  python('import socket\nsocket.socket(socket.AF_UNIX).bind("socket")'),
  python('import os\nwhile True:\n  try: os.fork()\n  except OSError: break'),
].join('\n')

/** What a worker does after it mended the product, and what comes of its attempt. */
const BOMBS: Readonly<Record<string, readonly [script: string, expected: object]>> = {
  'too many processes and open files, a terabyte without a block, devices, sockets, set-user-id, closed folders':
    [`${HARMLESS}; exit 0`, { end: exited, state: 'verified' }],
  'all memory': [
    python('held = []\nwhile True: held.append(bytearray(8 << 20))'),
    { end: limit('memory'), state: 'verified' },
  ],
  'empty files without end': [
    python('i = 0\nwhile True:\n  open(f"f{i}", "w").close()\n  i += 1'),
    OVER_DISK,
  ],
  'more empty files than allowed, in a folder that base ignores': [
    python('import os\nos.mkdir("dist")\nfor i in range(5000): open(f"dist/{i}", "w").close()'),
    OVER_DISK,
  ],
  'files that are larger than the disk, without a block of their own': [
    'for i in $(seq 100); do truncate -s 60M s$i; done',
    OVER_DISK,
  ],
  'escapes without end': [
    'yes "$(printf \'\\033[31m\\033]0;title\\007\\377\')"',
    { end: limit('output'), state: 'verified' },
  ],
  'a line of 100 MB of NULs': [
    'head -c 100000000 /dev/zero >&2',
    { end: limit('output'), state: 'verified' },
  ],
  'folders in 10,000 folders': [
    python('import os\nfor _ in range(10_000):\n  os.mkdir("d")\n  os.chdir("d")'),
    OVER_DISK,
  ],
  'a path longer than the kernel takes': [
    python(
      'import os\nfor _ in range(60):\n  os.mkdir("d" * 200)\n  os.chdir("d" * 200)\nopen("f", "w").close()',
    ),
    { end: exited, ...refusedFor('unreadable-output', /deep|bytes/) },
  ],
  'a name that is not UTF-8': [
    'touch "$(printf \'a\\377b\')"',
    { end: exited, ...refusedFor('unreadable-output', /UTF-8/) },
  ],
  'JSON that is nested 100,000 deep as its manifest': [
    python(
      'open("package.json", "w").write(\'{"main":"index.js","engines":\' + "[" * 100_000 + "]" * 100_000 + "}")',
    ),
    { end: exited, state: 'held' },
  ],
}

it('every bomb ends its own attempt as it should; the engine stays small, and other commands answer', async () => {
  const task = await writeTask(join(station.work, 'bombs'), {
    workers: Object.values(BOMBS).map(([script]) => worker(`${FIX}\n${script}`)),
    limits: {
      worker: {
        memoryMb: 96,
        diskMb: 24,
        inodes: 3000,
        processes: 64,
        tmpMb: 8,
        outputMb: 1,
        fileSizeMb: 64,
        openFiles: 64,
        cpus: 0.5,
      },
    },
    policy: { race: 'all', rounds: 1, infraRetries: 0, workerTimeoutMs: 60_000 },
  })
  const running = station.begin(['run', task])
  const peak = peakMebibytes(running)
  await running.until('round 1 begins')
  expect((await station.text(['doctor'])).code).toBe(0)
  const seen = await running.ended
  const report = documentOf(seen) as Report
  const lines = station.journal(report.run)
  const names = Object.keys(BOMBS)
  const came = Object.fromEntries(
    report.attempts.map(({ attempt, state }) => {
      const of = <T extends { readonly attempt: number }>(all: readonly { readonly body: T }[]) =>
        all.find(({ body }) => body.attempt === attempt)?.body
      const gate = of(eventsOf(lines, 'opened'))?.gate
      const fault = of(eventsOf(lines, 'work-failed'))?.fault
      const refusal = gate?.kind === 'refused' ? gate.refusals[0] : undefined
      return [names[attempt - 1], { state, end: of(eventsOf(lines, 'delivered'))?.end, refusal, fault }]
    }),
  )
  expect(came).toMatchObject(Object.fromEntries(names.map((name) => [name, BOMBS[name]?.[1]])))
  expect(await peak).toBeLessThan(300)
  for (const text of [seen.stderr, (await station.text(['report', report.run])).stdout]) {
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  }
})
