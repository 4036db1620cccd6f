import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readJournal } from '../../engine/journal/journal.ts'
import { nextLine } from '../../engine/pure/journal-chain.ts'
import { digestOfBytes } from '../../specs/digest.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'

/** Changes what stands in `fixture.json`. */
export async function editHead(
  directory: string,
  edit: (head: Record<string, unknown>) => void,
): Promise<void> {
  const path = join(directory, 'fixture.json')
  const head = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>
  edit(head)
  await writeFile(path, JSON.stringify(head))
}

/** Writes a file of a fixture, and its digest, as a forger would. */
export async function forge(directory: string, file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(join(directory, file), content)
  await editHead(directory, (head) => {
    head['files'] = { ...(head['files'] as object), [file]: digestOfBytes(content) }
  })
}

/** Changes events of a fixture and hashes the journal anew, so that it is whole. */
export async function forgeJournal(
  directory: string,
  edit: (body: EventBody, seq: number) => EventBody,
): Promise<void> {
  let lines: readonly JournalLine[] = []
  for (const { at, body, seq } of readJournal(join(directory, 'journal.jsonl'))) {
    lines = [...lines, nextLine(lines.at(-1), at, edit(body, seq))]
  }
  await forge(directory, 'journal.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}
