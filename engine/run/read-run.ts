import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { digestOfBytes } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import { gradeSchema, type Grade } from '../../specs/grade.ts'
import type { JournalLine } from '../../specs/journal.ts'
import { Blobs } from '../journal/blobs.ts'
import { journalPath, readJournal } from '../journal/journal.ts'
import { reportOf, type Report } from '../pure/report.ts'
import { readSealed, type Sealed } from '../seal/sealed-directory.ts'
import type { StateDirectory } from '../state-directory.ts'

/** A run as its directory has it. */
export interface RecordedRun {
  readonly directory: string
  readonly lines: readonly JournalLine[]
  readonly sealed: Sealed | undefined
  readonly grades: ReadonlyMap<string, Grade>
  readonly report: Report
}

/** Where the parts of a run directory stand. */
export const runPaths = (directory: string) => ({
  journal: journalPath(directory),
  blobs: join(directory, 'blobs'),
  sealed: join(directory, 'sealed'),
  request: join(directory, 'request.md'),
  taskDirectory: join(directory, 'task-directory'),
  notify: join(directory, 'notify.json'),
})

/**
 * Reads a run: its journal, its seal and the grades it names, and checks each against its digest.
 * @param run a run id of this state directory, or a path.
 * @throws Fault `config/run` when there is none, `config/journal`, `config/seal`, `config/blob` when it is not whole.
 */
export async function readRun(state: StateDirectory, run: string): Promise<RecordedRun> {
  return readRunDirectory(await findRun(state, run))
}

/** As {@link readRun}, of a directory: a run's own, or a fixture's. */
export async function readRunDirectory(directory: string): Promise<RecordedRun> {
  const paths = runPaths(directory)
  const lines = readJournal(paths.journal)
  if (lines.length === 0) throw new Fault('config/journal', `${paths.journal}: it is empty`)
  await checkRequest(lines, paths.request)
  const sealed = await readSealOf(lines, paths.sealed)
  const grades = await readGrades(lines, new Blobs(paths.blobs))
  return { directory, lines, sealed, grades, report: reportOf(lines, sealed?.seal, grades) }
}

/** The request beside the journal must be the one that the run began with. */
async function checkRequest(lines: readonly JournalLine[], path: string): Promise<void> {
  const first = lines[0]?.body
  if (first?.type !== 'run-started') return
  const bytes = await readFile(path).catch(() => undefined)
  if (bytes === undefined || digestOfBytes(bytes) !== first.request) {
    throw new Fault('config/run', `${path}: expected the request with digest ${first.request}`)
  }
}

/** The seal that the journal names, of the request, base, image and runner that it names. */
async function readSealOf(lines: readonly JournalLine[], directory: string): Promise<Sealed | undefined> {
  const first = lines[0]?.body
  const sealed = lines.findLast(({ body }) => body.type === 'sealed')?.body
  if (sealed?.type !== 'sealed' || first?.type !== 'run-started') return undefined
  const { request, base, runner, images } = first
  return readSealed(directory, { seal: sealed.seal, request, base, runner, image: images.product.id })
}

/** The directory of a run. */
export async function findRun(state: StateDirectory, run: string): Promise<string> {
  for (const directory of [join(state.runs, run), resolve(run)]) {
    const found = await stat(journalPath(directory)).catch(() => undefined)
    if (found?.isFile() === true) return directory
  }
  throw new Fault('config/run', `${run}: no such run in ${state.runs}, and no directory with a journal`)
}

async function readGrades(lines: readonly JournalLine[], blobs: Blobs): Promise<ReadonlyMap<string, Grade>> {
  const grades = new Map<string, Grade>()
  for (const { body } of lines) {
    if (body.type !== 'graded' && body.type !== 'regraded') continue
    const parsed = gradeSchema.safeParse(JSON.parse((await blobs.get(body.grade)).toString('utf8')))
    if (!parsed.success) throw new Fault('config/blob', `${blobs.path(body.grade)}: not a grade`)
    grades.set(body.grade, parsed.data)
  }
  return grades
}
