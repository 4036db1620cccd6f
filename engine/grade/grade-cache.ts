import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { gradeSchema, type Grade } from '../../specs/grade.ts'
import type { Digest } from '../../specs/digest.ts'

/** Grades by what they answer. A file that is not a whole grade counts as absent: it is only a cache. */
export class GradeCache {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  async get(key: Digest): Promise<Grade | undefined> {
    try {
      const parsed = gradeSchema.safeParse(JSON.parse(await readFile(this.#path(key), 'utf8')))
      return parsed.success && parsed.data.key === key ? parsed.data : undefined
    } catch {
      return undefined
    }
  }

  async put(grade: Grade): Promise<void> {
    await mkdir(this.#directory, { recursive: true })
    const temporary = `${this.#path(grade.key)}.tmp-${randomUUID()}`
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(JSON.stringify(grade))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, this.#path(grade.key))
  }

  #path(key: Digest): string {
    return join(this.#directory, `${key.replace(':', '-')}.json`)
  }
}
