import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { checkSetSchema, type CheckSet } from '../../specs/check-set.ts'
import { digestOf, digestOfBytes } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import { sealSchema, type Seal } from '../../specs/seal.ts'

/** A seal and the check set that it seals. */
export interface Sealed {
  readonly seal: Seal
  readonly checkSet: CheckSet
}

/** Writes a sealed set into a directory: `seal.json` and `set/…`. All or nothing. */
export async function writeSealed(directory: string, { seal, checkSet }: Sealed): Promise<void> {
  const temporary = `${directory}.tmp-${process.pid}`
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary, { recursive: true, mode: 0o700 })
  for (const [path, bytes] of checkSet.files) {
    const file = join(temporary, 'set', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }
  await writeFile(join(temporary, 'seal.json'), `${JSON.stringify(seal, null, 2)}\n`)
  await rm(directory, { recursive: true, force: true })
  await rename(temporary, directory)
}

/**
 * Reads a sealed set and checks it whole: the manifest's digest, and every file against the manifest.
 * @throws Fault `config/seal` that names the file and what was expected.
 */
export async function readSealed(directory: string): Promise<Sealed> {
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
  const seal = parsed.data
  const digest = digestOf(seal.manifest)
  if (digest !== seal.seal)
    throw new Fault('config/seal', `${path}: seal ${seal.seal}, but its manifest has ${digest}`)
  const files = await readFiles(join(directory, 'set'))
  const wanted = Object.entries(seal.manifest.files)
  for (const [name, expected] of wanted) {
    const bytes = files.get(name)
    if (bytes === undefined) throw new Fault('config/seal', `${directory}/set/${name}: missing, but sealed`)
    if (digestOfBytes(bytes) !== expected)
      throw new Fault('config/seal', `${directory}/set/${name}: not what was sealed`)
  }
  const extra = [...files.keys()].find((name) => !Object.hasOwn(seal.manifest.files, name))
  if (extra !== undefined) throw new Fault('config/seal', `${directory}/set/${extra}: there, but not sealed`)
  const document = checkSetSchema.parse(
    JSON.parse(Buffer.from(files.get('checks.json') ?? []).toString('utf8')),
  )
  return { seal, checkSet: { document, files } }
}

async function readFiles(root: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.set(relative(root, path), await readFile(path))
  }
  return files
}
