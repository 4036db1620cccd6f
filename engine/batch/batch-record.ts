import { existsSync } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile, readlink, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { filesBelow } from '../fixture/read-fixture.ts'
import { batchSchema, type Batch } from '../../specs/batch.ts'
import { digestOfBytes, type Digest } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { StateDirectory } from '../state-directory.ts'

const MAX_FILES = 20_000

/** Where a batch keeps its record. */
export function batchFile({ batches }: StateDirectory, id: string): string {
  return join(batches, id, 'batch.json')
}

/** Writes the record once, before anything runs: it appears whole or not at all. */
export async function writeBatch(state: StateDirectory, batch: Batch): Promise<void> {
  const file = batchFile(state, batch.id)
  await mkdir(join(state.batches, batch.id), { recursive: true, mode: 0o700 })
  const temporary = `${file}.tmp`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(batch)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
}

/** @throws Fault `config/batch` when there is no such batch, or its record is not whole. */
export async function readBatch(state: StateDirectory, id: string): Promise<Batch> {
  const file = batchFile(state, id)
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) throw new Fault('config/batch', `${id}: no such batch in ${state.batches}`)
  try {
    return batchSchema.parse(JSON.parse(text))
  } catch (cause) {
    throw new Fault('config/batch', `${file}: not the record of a batch`, { cause })
  }
}

/** Ids of all batches, the oldest first. */
export async function listBatches(state: StateDirectory): Promise<readonly string[]> {
  const names = (await readdir(state.batches)).filter((name) => name.startsWith('batch-')).sort()
  // One that was cut off while its record was written has none, and began nothing.
  return names.filter((name) => existsSync(batchFile(state, name)))
}

/** Every file below a task directory, by its digest: what a batch must not mix with another. */
export async function filesOfTask(directory: string): Promise<Record<string, Digest>> {
  const paths = await filesBelow(directory)
  if (paths.length > MAX_FILES)
    throw new Fault('config/batch', `${directory}: expected at most ${MAX_FILES} files of a task`)
  const files: Record<string, Digest> = {}
  for (const path of paths) {
    files[path] = await digestOfFile(join(directory, path))
  }
  return files
}

/** Over what it is, whether it can be executed, and its bytes or its target. */
async function digestOfFile(path: string): Promise<Digest> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) return digestOfBytes(`link ${await readlink(path)}`)
  if (!found.isFile()) return digestOfBytes(`neither file nor link: ${found.mode}`)
  const kind = (found.mode & 0o111) === 0 ? 'file' : 'executable'
  return digestOfBytes(Buffer.concat([Buffer.from(`${kind} `), await readFile(path)]))
}
