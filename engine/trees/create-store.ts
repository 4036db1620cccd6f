import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Fault } from '../../specs/fault.ts'
import { git } from './git.ts'

/**
 * The store's own configuration. Objects are never collected (a tree may be named by a journal only), no hook runs,
 * and names that would be `.git` on another file system never get into an index.
 */
const CONFIG = `[core]
\trepositoryFormatVersion = 0
\tfileMode = true
\tbare = true
\thooksPath = /dev/null
\tcompression = 1
\tignoreCase = false
\tprecomposeUnicode = false
\tprotectHFS = true
\tprotectNTFS = true
\tfilesRefLockTimeout = 10000
\tpackedRefsTimeout = 10000
[gc]
\tauto = 0
[maintenance]
\tauto = false
`

/**
 * Makes the bare repository where there is none. It appears whole or not at all: made beside its place and renamed,
 * so that of two processes at once one wins and both go on.
 */
export async function createStore(directory: string): Promise<void> {
  if (await isStore(directory)) return
  let made: string | undefined
  try {
    await mkdir(dirname(directory), { recursive: true })
    made = await mkdtemp(join(dirname(directory), `.${basename(directory)}.`))
    await git(['init', '--quiet', '--bare', '--template=', '--initial-branch=none'], {
      cwd: made,
      env: { GIT_DIR: made },
    })
    await writeFile(join(made, 'config'), CONFIG)
    await rename(made, directory)
  } catch (error) {
    if (await isStore(directory)) return
    throw new Fault(
      'config/state',
      `${directory}: expected a place for the store of trees: ${message(error)}`,
      {
        cause: error,
      },
    )
  } finally {
    if (made !== undefined) await rm(made, { recursive: true, force: true })
  }
}

async function isStore(directory: string): Promise<boolean> {
  const config = await stat(join(directory, 'config')).catch(() => undefined)
  const objects = await stat(join(directory, 'objects')).catch(() => undefined)
  return config?.isFile() === true && objects?.isDirectory() === true
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
