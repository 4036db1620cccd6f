import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Report } from '../engine/pure/report.ts'
import { digestOf, digestOfBytes } from '../specs/digest.ts'
import type { Fixture } from '../specs/fixture.ts'
import type { Seal } from '../specs/seal.ts'
import { documentOf } from './support/assay.ts'
import { patch, writeTask } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

it('moves, with what its own Dockerfile is built from, and replays at both levels without its task', async () => {
  const task = await writeTask(join(station.work, 'task'), {
    image: { dockerfile: 'image' },
    workers: [patch('wrong.diff'), patch('right.diff')],
    policy: { race: 'all' },
    files: {
      'image/Dockerfile': 'ARG ASSAY_NODE\nFROM ${ASSAY_NODE}\nCOPY made-for /made-for\n',
      'image/made-for': 'tests\n',
    },
  })
  const { run } = documentOf(await station.json(['run', task])) as Report
  const packed = join(station.work, 'packed')
  const pack = await station.json(['fixture', 'pack', run, '--to', packed])
  expect(pack.code, pack.stderr).toBe(0)
  expect(await readFile(join(packed, 'task/image/made-for'), 'utf8')).toBe('tests\n')

  await rm(task, { recursive: true })
  const moved = join(station.work, 'moved')
  await rename(packed, moved)
  const decisions = await station.json(['replay', moved, '--level', 'decisions'])
  expect(decisions.code, decisions.stderr).toBe(0)
  // A fixture may be a stranger's, and building runs what its Dockerfile says.
  expect(documentOf(await station.json(['replay', moved, '--level', 'grades']))).toMatchObject({
    error: {
      code: 'config/build-consent',
      message: expect.stringContaining(join(moved, 'task/image/Dockerfile')),
    },
  })
  const grades = await station.json(['replay', moved, '--level', 'grades', '--build-image'])
  expect(grades.code, grades.stdout + grades.stderr).toBe(0)
  expect(documentOf(grades)).toMatchObject({ graded: 2 })

  // A set that holds together, listed with its right digest, but not the one that the journal names.
  const path = join(moved, 'sealed/seal.json')
  const seal = JSON.parse(await readFile(path, 'utf8')) as Seal
  const manifest = { ...seal.manifest, author: 'somebody else' }
  const forged = JSON.stringify({ ...seal, manifest, seal: digestOf(manifest) })
  await writeFile(path, forged)
  const head = join(moved, 'fixture.json')
  const fixture = JSON.parse(await readFile(head, 'utf8')) as Fixture
  const files = { ...fixture.files, 'sealed/seal.json': digestOfBytes(forged) }
  await writeFile(head, JSON.stringify({ ...fixture, files }))
  expect(documentOf(await station.json(['replay', moved]))).toMatchObject({
    error: { code: 'config/seal', exitCode: 2 },
  })
}, 300_000)

it('the demo replays its recorded run, which has its base as a source: three attempts in boxes', async () => {
  const seen = await station.json(['demo'])
  expect(seen.code, seen.stderr).toBe(0)
  const report = documentOf(seen) as Report
  expect(report).toMatchObject({ verdict: 'verified', divergence: null })
  expect(report.attempts.map(({ state }) => state)).toEqual(['verified', 'refuted', 'tampered'])
}, 300_000)
