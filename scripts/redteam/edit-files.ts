import type { FileEdit } from './seed.ts'

/** One file of a tree in memory. */
export interface PlainFile {
  readonly mode: '100644' | '100755' | '120000'
  readonly content: Uint8Array
}

/**
 * A tree with a seed's edits; pure.
 * @throws Error when an edit needs a file, or a text in it, that is not there: a seed that does nothing proves nothing.
 */
export function editFiles(
  files: ReadonlyMap<string, PlainFile>,
  edits: Readonly<Record<string, FileEdit>>,
): ReadonlyMap<string, PlainFile> {
  const edited = new Map(files)
  for (const [path, edit] of Object.entries(edits)) {
    const there = edited.get(path)
    if (typeof edit !== 'string' && 'delete' in edit) {
      requireThere(path, there)
      edited.delete(path)
    } else if (typeof edit !== 'string' && 'renameTo' in edit) {
      edited.set(edit.renameTo, requireThere(path, there))
      edited.delete(path)
    } else edited.set(path, editFile(path, there, edit))
  }
  return edited
}

type OneFileEdit = Exclude<FileEdit, { delete: true } | { renameTo: string }>

function editFile(path: string, there: PlainFile | undefined, edit: OneFileEdit): PlainFile {
  const mode = there?.mode ?? '100644'
  if (typeof edit === 'string') return { mode, content: Buffer.from(edit) }
  if ('base64' in edit) return { mode, content: Buffer.from(edit.base64, 'base64') }
  if ('repeat' in edit) return { mode, content: Buffer.from(edit.repeat.repeat(edit.times)) }
  if ('linkTo' in edit) return { mode: '120000', content: Buffer.from(edit.linkTo) }
  if ('executable' in edit) {
    const content =
      edit.executable === true ? requireThere(path, there).content : Buffer.from(edit.executable)
    return { mode: '100755', content }
  }
  const text = Buffer.from(requireThere(path, there).content).toString('utf8')
  if ('prepend' in edit) return { mode, content: Buffer.from(edit.prepend + text) }
  if ('append' in edit) return { mode, content: Buffer.from(text + edit.append) }
  if (!text.includes(edit.replace)) throw new Error(`${path} does not hold ${JSON.stringify(edit.replace)}`)
  return { mode, content: Buffer.from(text.replaceAll(edit.replace, () => edit.with)) }
}

function requireThere(path: string, file: PlainFile | undefined): PlainFile {
  if (file === undefined) throw new Error(`${path} is not in the tree`)
  return file
}
