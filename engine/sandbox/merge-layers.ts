import { pipeline } from 'node:stream/promises'
import type { Readable } from 'node:stream'
import { extract, pack, type Header, type Pack } from 'tar-stream'
import type { VolumeSpec } from '../../specs/sandbox.ts'
import { Fault } from '../../specs/fault.ts'
import { foldersOf, isBehindLink, layerName } from '../pure/sandbox/layer-names.ts'

/**
 * Several tars as one, each under its folder below `root`. Contents are streamed, never gathered. Extended attributes
 * (file capabilities among them) do not come along.
 * @throws into the stream: Fault `bug/volume-entry` for names that leave their folder, devices, and files behind links.
 */
export function mergeLayers(root: string, layers: VolumeSpec['layers']): Readable {
  const merged = pack()
  addLayers(merged, root, layers).then(
    () => merged.finalize(),
    (error: unknown) => merged.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  return merged as unknown as Readable
}

async function addLayers(merged: Pack, root: string, layers: VolumeSpec['layers']): Promise<void> {
  const links = new Set<string>()
  const folders = new Set<string>()
  for (const { at, tar } of layers) {
    // The archive API wants the folders to be there before what is in them.
    for (const folder of foldersOf(at)) {
      if (folders.has(folder)) continue
      folders.add(folder)
      merged.entry({
        name: `${layerName(root, folder)}/`,
        type: 'directory',
        mode: 0o755,
        mtime: new Date(0),
      })
    }
    const entries = extract()
    const reading = pipeline(tar, entries)
    reading.catch(() => undefined)
    for await (const entry of entries) await addEntry(merged, root, at, entry as unknown as LayerEntry, links)
    await reading
  }
}

type LayerEntry = Readable & { readonly header: Header }

async function addEntry(
  merged: Pack,
  root: string,
  at: string,
  entry: LayerEntry,
  links: Set<string>,
): Promise<void> {
  const { header } = entry
  const name = layerName(layerName(root, at), header.name)
  if (isBehindLink(name, links))
    throw new Fault('bug/volume-entry', `tar entry ${JSON.stringify(name)} is behind a link`)
  if (header.type === 'symlink') links.add(name)
  const renamed = renamedHeader(header, name, layerName(root, at))
  if (header.type !== 'file') {
    merged.entry(renamed)
    entry.resume()
    return
  }
  await pipeline(entry, merged.entry(renamed) as unknown as NodeJS.WritableStream)
}

function renamedHeader(header: Header, name: string, folder: string): Header {
  // Extended headers hold the old name again, and they would win.
  const renamed: Header = { ...header, name, pax: null }
  if (header.type === 'directory') return { ...renamed, name: `${name}/` }
  if (header.type === 'link') return { ...renamed, linkname: layerName(folder, header.linkname) }
  if (header.type !== 'file' && header.type !== 'symlink') {
    throw new Fault('bug/volume-entry', `tar entry ${JSON.stringify(name)} is a ${header.type}`)
  }
  return renamed
}
