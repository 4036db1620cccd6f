import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders for the length of one operation, named after the process that made them. */
const folderOf = (storeDirectory: string): string => join(storeDirectory, 'scratch')

/** Runs `work` with an empty folder that is gone afterwards, whatever happens. */
export async function withScratch<T>(
  storeDirectory: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await makeScratch(storeDirectory)
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** An empty folder; the caller removes it. */
export async function makeScratch(storeDirectory: string): Promise<string> {
  const folder = folderOf(storeDirectory)
  await mkdir(folder, { recursive: true })
  return await mkdtemp(join(folder, `${process.pid}.`))
}

/** Removes what processes that are no longer alive (a `kill -9`) left behind. */
export async function sweepScratch(storeDirectory: string): Promise<void> {
  const names = await readdir(folderOf(storeDirectory)).catch(() => [])
  for (const name of names) {
    const pid = Number(name.split('.')[0])
    if (!isAlive(pid)) await rm(join(folderOf(storeDirectory), name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
