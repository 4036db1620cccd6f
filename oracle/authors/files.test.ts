import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { filesAuthor, readSetDirectory } from './files.ts'

const { signal } = new AbortController()
const caps = { files: 3, fileBytes: 10, totalBytes: 15 }
let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'assay-files-author-'))
  await mkdir(join(directory, 'scenarios/lib'), { recursive: true })
  await writeFile(join(directory, 'checks.json'), '{}')
})
afterEach(() => rm(directory, { recursive: true }))

const put = (path: string, text: string) => writeFile(join(directory, path), text)
const read = () => readSetDirectory(directory, caps, signal)

describe('a set written beforehand', () => {
  it('is read with its folders', async () => {
    await put('scenarios/lib/a.mjs', 'a')
    const outcome = await read()
    expect(outcome.kind === 'read' ? [...outcome.files.keys()].sort() : outcome).toEqual([
      'checks.json',
      'scenarios/lib/a.mjs',
    ])
  })

  it('is handed in once: the author cannot hear reasons', async () => {
    const author = filesAuthor(directory)
    expect(author.hearsReasons).toBe(false)
    expect(await author.handIn({ signal })).toMatchObject({ kind: 'handed-in' })
  })

  it('is nothing when the directory is empty', async () => {
    await rm(join(directory, 'checks.json'))
    expect(await filesAuthor(directory).handIn({ signal })).toEqual({ kind: 'nothing' })
  })

  it('is refused with a link in it, wherever that points', async () => {
    await symlink('/etc/hostname', join(directory, 'scenarios/a.mjs'))
    expect(await filesAuthor(directory).handIn({ signal })).toEqual({
      kind: 'refused',
      reason: '"scenarios/a.mjs": neither a file nor a folder (links are not followed)',
    })
  })

  it.each<[string, readonly string[], string]>([
    ['a file over its cap', ['12345678901'], '"scenarios/0": over 10 bytes, or the set over 15'],
    [
      'files over the cap together',
      ['12345678', '12345678'],
      '"scenarios/1": over 10 bytes, or the set over 15',
    ],
    ['too many files', ['a', 'b', 'c'], '"scenarios/2": more than 3 files'],
  ])('is refused with %s', async (_name, contents, reason) => {
    for (const [index, content] of contents.entries()) await put(`scenarios/${index}`, content)
    expect(await read()).toEqual({ kind: 'refused', reason })
  })

  it('is refused when its folders go too deep', async () => {
    await mkdir(join(directory, ...Array.from({ length: 18 }, () => 'd')), { recursive: true })
    expect(await read()).toMatchObject({ kind: 'refused' })
  })

  it('is a fault when the directory is not there', async () => {
    const gone = join(directory, 'gone')
    await expect(readSetDirectory(gone, caps, signal)).rejects.toMatchObject({ code: 'config/check-set' })
  })

  it('is not read once the user has stopped it', async () => {
    await expect(readSetDirectory(directory, caps, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
})
