import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readChain } from '../pure/journal-chain.ts'

const NEWLINE = 0x0a

/** What a run goes on without. */
export interface TornLine {
  /** Where it is kept, beside the journal. */
  readonly file: string
  readonly sizeBytes: number
}

/**
 * Takes the last line of a journal out of it when it has no newline (a write that a crash cut off) and every line
 * before it holds; it is kept beside the journal. Only when the user asks for it: nothing is repaired silently.
 * @returns undefined when there is no such line; then nothing was changed.
 */
export function dropTornLine(journal: string): TornLine | undefined {
  const bytes = readFileSync(journal)
  const chain = readChain(bytes.toString('utf8'))
  if (chain.kind === 'whole' || !chain.isTorn || chain.lines.length === 0) return undefined
  const goodBytes = bytes.lastIndexOf(NEWLINE) + 1
  const torn = bytes.subarray(goodBytes)
  // Kept first: a crash in between leaves the journal as it was.
  const file = keepAside(dirname(journal), torn)
  const fd = openSync(journal, 'r+')
  try {
    ftruncateSync(fd, goodBytes)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  return { file: basename(file), sizeBytes: torn.length }
}

function keepAside(directory: string, torn: Uint8Array): string {
  for (let number = 1; ; number++) {
    const file = join(directory, `torn-line.${number}.txt`)
    try {
      writeFileSync(file, torn, { flag: 'wx', mode: 0o600, flush: true })
      return file
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
