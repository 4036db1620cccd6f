import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Pack } from 'tar-stream'
import type { TreeId } from '../../specs/digest.ts'
import type { TarOptions } from '../../specs/trees.ts'
import { git } from './git.ts'
import { commitTree } from './neutral-commit.ts'
import { attributes, packStream, put } from './pack-stream.ts'
import { makeScratch } from './scratch.ts'

const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
`

/**
 * Stronger than any attributes file of the tree: with them a file whose line ends or keywords git would rewrite
 * would show as changed in a tree that nobody has touched.
 */
const ATTRIBUTES = '* -text -ident -filter -working-tree-encoding\n'

/**
 * A `.git` folder as a tar stream: one commit with a neutral author and date on branch main, an index that agrees
 * with the tree. No remote, no tag, no hook, no history, no link to our store.
 */
export function oneCommitRepositoryTar(
  gitDirectory: string,
  tree: TreeId,
  owner: TarOptions,
  signal?: AbortSignal,
): Readable {
  return packStream((tar, stop) => fill(tar, gitDirectory, tree, owner, stop), signal)
}

async function fill(
  tar: Pack,
  gitDirectory: string,
  tree: TreeId,
  owner: TarOptions,
  signal: AbortSignal,
): Promise<void> {
  const scratch = await makeScratch(gitDirectory)
  try {
    const commit = await commitTree(gitDirectory, tree, signal)
    const index = join(scratch, 'index')
    await git(['read-tree', tree], { gitDirectory, env: { GIT_INDEX_FILE: index }, signal })
    // Without deltas and threads the pack depends on the tree alone, not on what else the store holds.
    await git(
      [
        'pack-objects',
        '--quiet',
        '--revs',
        '--window=0',
        '--threads=1',
        '--no-reuse-delta',
        join(scratch, 'pack'),
      ],
      { gitDirectory, stdin: `${commit}\n`, signal },
    )
    const text = (name: string, content: string): Promise<void> => {
      const bytes = Buffer.from(content)
      return put(
        tar,
        { name: `.git/${name}`, type: 'file', mode: 0o644, size: bytes.length, ...attributes(owner) },
        Readable.from([bytes]),
      )
    }
    const folder = (name: string): Promise<void> =>
      put(tar, { name: `.git/${name}`, type: 'directory', mode: 0o755, ...attributes(owner) })
    const file = async (name: string, path: string): Promise<void> => {
      const { size } = await stat(path)
      await put(
        tar,
        { name: `.git/${name}`, type: 'file', mode: 0o644, size, ...attributes(owner) },
        createReadStream(path),
      )
    }
    await folder('')
    await text('HEAD', 'ref: refs/heads/main\n')
    await text('config', CONFIG)
    await file('index', index)
    await folder('info/')
    await text('info/attributes', ATTRIBUTES)
    await folder('objects/')
    await folder('objects/info/')
    await folder('objects/pack/')
    for (const name of (await readdir(scratch)).filter((each) => each.startsWith('pack-')).sort()) {
      await file(`objects/pack/${name}`, join(scratch, name))
    }
    await folder('refs/')
    await folder('refs/heads/')
    await text('refs/heads/main', `${commit}\n`)
    await folder('refs/tags/')
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
