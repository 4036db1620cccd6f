import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { CheckSet } from '../../specs/check-set.ts'
import { Fault } from '../../specs/fault.ts'
import { sealSchema, type Seal } from '../../specs/seal.ts'
import { documentOf, requireSeal, type SealExpectation } from '../../specs/verify-seal.ts'

/** A seal and the check set that it seals. */
export interface Sealed {
  readonly seal: Seal
  readonly checkSet: CheckSet
}

/**
 * Writes a sealed set into a directory: `seal.json` and `set/…`. All or nothing, and on disk when it returns: the journal
 * names the seal right after.
 */
export async function writeSealed(directory: string, { seal, checkSet }: Sealed): Promise<void> {
  const temporary = `${directory}.tmp-${randomUUID()}`
  try {
    const folders = new Set([temporary])
    for (const [path, bytes] of [...checkSet.files].map(
      ([name, content]) => [`set/${name}`, content] as const,
    )) {
      await writeDurably(join(temporary, path), bytes)
      for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
        folders.add(join(temporary, folder))
    }
    await writeDurably(join(temporary, 'seal.json'), `${JSON.stringify(seal, null, 2)}\n`)
    for (const folder of folders) await syncFolder(folder)
    await putInPlace(temporary, directory)
    await syncFolder(dirname(directory))
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/**
 * Gives a finished folder its name. What had the name before is set aside first and removed last, so a kill in between
 * loses neither; where another process put its own there meanwhile, that one stays: both are whole.
 */
async function putInPlace(finished: string, directory: string): Promise<void> {
  const aside = `${directory}.old-${randomUUID()}`
  const replaced = await rename(directory, aside).then(
    () => true,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    },
  )
  await rename(finished, directory).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  })
  if (replaced) await rm(aside, { recursive: true, force: true })
}

/**
 * Reads a sealed set and checks it whole: the manifest's digest, every file against the manifest, claims and rows, and
 * that it is the one that is expected.
 * @param expected what the journal or the task says: without it any set that holds together would do.
 * @throws Fault `config/seal` that names the file and what was expected, `config/seal-stale` when it was sealed for
 * another request, base, image or runner.
 */
export async function readSealed(directory: string, expected: SealExpectation): Promise<Sealed> {
  const path = join(directory, 'seal.json')
  let data: unknown
  try {
    data = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new Fault('config/seal', `${path}: no seal there`, { cause })
  }
  const parsed = sealSchema.safeParse(data)
  if (!parsed.success)
    throw new Fault('config/seal', `${path}: ${parsed.error.issues[0]?.message ?? 'not a seal'}`)
  const files = await readFiles(join(directory, 'set'))
  const document = documentOf(files)
  if (document === undefined)
    throw new Fault('config/seal', `${directory}/set/checks.json: expected a check set`)
  const sealed = { seal: parsed.data, checkSet: { document, files } }
  requireSeal(sealed.seal, sealed.checkSet, expected, directory)
  return sealed
}

async function readFiles(root: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile()) throw new Fault('config/seal', `${path}: expected a file`)
    files.set(relative(root, path), await readFile(path))
  }
  return files
}

async function writeDurably(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
