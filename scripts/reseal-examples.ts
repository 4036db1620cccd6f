import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { nextLine } from '../engine/pure/journal-chain.ts'
import { gradeKey } from '../grader/grade.ts'
import { checkSetSchema } from '../specs/check-set.ts'
import { digestOf, digestOfBytes } from '../specs/digest.ts'
import type { Fixture } from '../specs/fixture.ts'
import type { Grade } from '../specs/grade.ts'
import type { EventBody, JournalLine } from '../specs/journal.ts'
import type { Seal } from '../specs/seal.ts'
import { taskSchema } from '../specs/task.ts'

/**
 * Writes the digests into the examples again after one was edited: seal, grade, journal and fixture name each other,
 * the check set, the task and the request. Run by `npm run examples`.
 */
const folder = join(import.meta.dirname, '..', 'specs', 'examples')
const read = (file: string) => readFile(join(folder, file), 'utf8')
const document = async (file: string): Promise<unknown> => JSON.parse(await read(file))
const write = (file: string, text: string) => writeFile(join(folder, file), text)
const pretty = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const request = digestOfBytes(await read('request.md'))
const task = taskSchema.parse(parse(await read('task.valid.yaml')))
const setFiles = await filesOfSet()

const oldSeal = (await document('seal.valid.json')) as Seal
const { claims } = checkSetSchema.parse(await document('check-set.valid.json'))
const manifest = { ...oldSeal.manifest, request, files: setFiles, claims, rows: oldSeal.admission.rows }
const seal: Seal = { ...oldSeal, seal: digestOf(manifest), manifest }
await write('seal.valid.json', pretty(seal))

const oldGrade = { ...((await document('grade.valid.json')) as Grade), seal: seal.seal }
const grade: Grade = { ...oldGrade, key: gradeKey(oldGrade) }
await write('grade.valid.json', pretty(grade))
const gradeDigest = digestOfBytes(pretty(grade))

const lines: JournalLine[] = []
for (const text of (await read('journal.valid.jsonl')).trimEnd().split('\n')) {
  const { at, body } = JSON.parse(text) as JournalLine
  lines.push(nextLine(lines.at(-1), at, digested(body)))
}
await write('journal.valid.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

const fixture = (await document('fixture.valid.json')) as Fixture
const { trees } = fixture
const diffs = trees.form === 'source' ? trees.outputs.map(({ diff }) => diff) : []
const rightDiff = digestOfBytes(await read('set/trials/right.diff'))
const files = {
  'journal.jsonl': digestOfBytes(await read('journal.valid.jsonl')),
  'request.md': request,
  'sealed/seal.json': digestOfBytes(await read('seal.valid.json')),
  ...Object.fromEntries(Object.entries(setFiles).map(([path, digest]) => [`sealed/set/${path}`, digest])),
  [`blobs/${gradeDigest.replace(':', '-')}`]: gradeDigest,
  ...Object.fromEntries(diffs.map((diff) => [diff, rightDiff])),
}
await write('fixture.valid.json', pretty({ ...fixture, files }))

function digested(body: EventBody): EventBody {
  if (body.type === 'run-started') {
    return { ...body, task, policy: task.policy, request, taskDigest: digestOf({ task, request }) }
  }
  if (body.type === 'sealed') return { ...body, seal: seal.seal }
  if (body.type === 'graded') return { ...body, grade: gradeDigest }
  return body
}

/** sha256 of the check set's files by their path inside the set. */
async function filesOfSet(): Promise<Record<string, string>> {
  const found = await readdir(join(folder, 'set'), { recursive: true, withFileTypes: true })
  const paths = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'set').length + 1))
  const digests = await Promise.all(
    paths.sort().map(async (path) => [path, digestOfBytes(await read(`set/${path}`))] as const),
  )
  return { 'checks.json': digestOfBytes(await read('check-set.valid.json')), ...Object.fromEntries(digests) }
}
