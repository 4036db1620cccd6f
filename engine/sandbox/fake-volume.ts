import { pack, extract, type Header } from 'tar-stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { VolumeSpec } from '../../specs/sandbox.ts'
import { mergeLayers } from './merge-layers.ts'

/** One entry of an in-memory volume. */
export interface FakeEntry {
  readonly type: 'file' | 'directory' | 'symlink'
  readonly mode: number
  readonly uid: number
  readonly gid: number
  readonly data: Buffer
  readonly linkname: string
}

/** Paths without a leading slash; '' is the root. */
export type FakeTree = Map<string, FakeEntry>

const ROOT = 'v'

/** A volume from its layers, with the same rules as the real one. */
export async function treeOfLayers(layers: VolumeSpec['layers']): Promise<FakeTree> {
  const tree: FakeTree = new Map([['', entryOf({ type: 'directory', mode: 0o755 })]])
  const entries = extract()
  const reading = pipeline(mergeLayers(ROOT, layers), entries as unknown as NodeJS.WritableStream)
  reading.catch(() => undefined)
  for await (const entry of entries) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    const name = entry.header.name.split('/').slice(1).filter(Boolean).join('/')
    tree.set(name, entryOf({ ...entry.header, data: Buffer.concat(chunks) }))
  }
  await reading
  return tree
}

/** What is at and below `path`, named as the real archive names it: `./`, `./a`; a lone file by its own name. */
export function tarOfTree(tree: FakeTree, path: string): Readable | undefined {
  const top = tree.get(path)
  if (top === undefined) return undefined
  const tar = pack()
  if (top.type !== 'directory') addTo(tar, path.split('/').at(-1) ?? path, top)
  else {
    const below = path === '' ? '' : `${path}/`
    addTo(tar, './', top)
    for (const [name, entry] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (name !== path && name.startsWith(below)) addTo(tar, `./${name.slice(below.length)}`, entry)
    }
  }
  tar.finalize()
  return Readable.from(tar)
}

/** An entry with what is left out filled in. */
export function entryOf(part: Partial<Omit<FakeEntry, 'type'>> & { readonly type: string }): FakeEntry {
  const type = part.type === 'directory' || part.type === 'symlink' ? part.type : 'file'
  return {
    mode: type === 'directory' ? 0o755 : 0o644,
    uid: 0,
    gid: 0,
    data: Buffer.alloc(0),
    ...part,
    linkname: part.linkname ?? '',
    type,
  }
}

function addTo(tar: ReturnType<typeof pack>, name: string, entry: FakeEntry): void {
  const { type, mode, uid, gid, linkname, data } = entry
  const header: Partial<Header> & { name: string } = { name, type, mode, uid, gid, mtime: new Date(0) }
  if (type === 'symlink') tar.entry({ ...header, linkname })
  else if (type === 'directory') tar.entry({ ...header, name: name.endsWith('/') ? name : `${name}/` })
  else tar.entry(header, data)
}
