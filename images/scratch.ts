import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A scratch folder under the state directory while `work` runs. Call it under the lock of `name`: what an earlier,
 * killed holder left is removed first.
 */
export async function withScratch<T>(
  stateDir: string,
  name: string,
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  const parent = join(stateDir, 'tmp')
  const prefix = `${fileName(name)}-`
  await mkdir(parent, { recursive: true })
  for (const left of await readdir(parent)) {
    if (left.startsWith(prefix) && left.length === prefix.length + 6) {
      await rm(join(parent, left), { recursive: true, force: true })
    }
  }
  const scratch = await mkdtemp(join(parent, prefix))
  try {
    return await work(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** A name as a part of a file's name. */
export function fileName(name: string): string {
  return name.replaceAll(/[^a-z0-9-]/g, '-')
}
