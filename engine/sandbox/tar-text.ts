import { extract, pack, type Header } from 'tar-stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** For tests: a tar stream of these entries. */
export function tarOf(
  entries: readonly (Partial<Header> & { readonly name: string; readonly text?: string })[],
): Readable {
  const tar = pack()
  for (const { text, ...header } of entries) {
    if (text === undefined) tar.entry(header)
    else tar.entry(header, text)
  }
  tar.finalize()
  return Readable.from(tar)
}

/** For tests: a tar stream as `name → content`, links as `-> target`, folders as `/`; `uid` by name. */
export async function entriesOf(tar: Readable): Promise<{
  readonly content: Record<string, string>
  readonly uids: Record<string, number>
}> {
  const content: Record<string, string> = {}
  const uids: Record<string, number> = {}
  const entries = extract()
  const reading = pipeline(tar, entries as unknown as NodeJS.WritableStream)
  reading.catch(() => undefined)
  for await (const entry of entries) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    const { name, type, linkname, uid } = entry.header
    uids[name] = uid
    if (type === 'symlink') content[name] = `-> ${linkname}`
    else content[name] = type === 'directory' ? '/' : Buffer.concat(chunks).toString('utf8')
  }
  await reading
  return { content, uids }
}
