import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeScratch } from './scratch.ts'

/**
 * A bare repository beside the store that sees all of the store's objects. What is written from untrusted input is
 * written here: when it is refused, or we are killed, the store has never had a byte of it.
 */
export interface Quarantine {
  /** Given to git as its repository. */
  readonly gitDirectory: string
  /** The caller removes it. */
  readonly scratch: string
}

export async function openQuarantine(storeDirectory: string): Promise<Quarantine> {
  const scratch = await makeScratch(storeDirectory)
  await mkdir(join(scratch, 'refs'))
  await mkdir(join(scratch, 'objects', 'info'), { recursive: true })
  await mkdir(join(scratch, 'objects', 'pack'))
  await writeFile(join(scratch, 'HEAD'), 'ref: refs/heads/none\n')
  await writeFile(join(scratch, 'config'), CONFIG)
  // Relative to the objects folder: state/store.git/scratch/<this>/objects.
  await writeFile(join(scratch, 'objects', 'info', 'alternates'), '../../../objects\n')
  return { gitDirectory: scratch, scratch }
}

const CONFIG = `[core]
\trepositoryFormatVersion = 0
\tbare = true
\tcompression = 1
\tprotectHFS = true
\tprotectNTFS = true
`

/** Moves all objects into the store. An object has the same bytes wherever it is, so one that is there already may stay. */
export async function release(quarantine: Quarantine, storeDirectory: string): Promise<void> {
  const from = join(quarantine.gitDirectory, 'objects')
  const to = join(storeDirectory, 'objects')
  for (const folder of await readdir(from)) {
    if (folder === 'info') continue
    await mkdir(join(to, folder), { recursive: true })
    // A pack is there for git as soon as its index is: that comes last.
    const names = (await readdir(join(from, folder))).filter((name) => !name.startsWith('tmp_'))
    for (const name of names.sort((one, other) => orderOf(one) - orderOf(other))) {
      await rename(join(from, folder, name), join(to, folder, name))
    }
  }
}

function orderOf(name: string): number {
  return name.endsWith('.idx') ? 1 : 0
}
