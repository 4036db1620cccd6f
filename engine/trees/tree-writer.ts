import { rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { createInterface } from 'node:readline'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Fault } from '../../specs/fault.ts'
import type { TreeId } from '../../specs/digest.ts'
import { ended, spawnGit } from './git.ts'
import { NEUTRAL_IDENTITY, NEUTRAL_MESSAGE, NEUTRAL_TIME, treeRef } from './neutral-commit.ts'
import { updateRefs } from './update-refs.ts'
import { openQuarantine, release, type Quarantine } from './quarantine.ts'

export type FileMode = '100644' | '100755' | '120000'

/** A file whose content earlier went into the same writer. */
export type WrittenFile = number

/**
 * Writes one tree into the store in one pass, through `git fast-import`: contents are streamed, never held. Nothing
 * can be seen in the store before `finish`; after `abort` nothing ever was.
 *
 * Invariant: every path is relative, has no empty, `.` or `..` segment and is given once. Callers that read hostile
 * input check that before (read-tar); here it is a bug.
 */
export class TreeWriter {
  readonly #storeDirectory: string
  readonly #quarantine: Quarantine
  readonly #child: ChildProcessWithoutNullStreams
  readonly #end: ReturnType<typeof ended>
  readonly #lines: AsyncIterator<string>
  /** Marks of blobs in the order they came; the files of the tree refer to them. */
  #marks = 1
  readonly #files: string[] = []

  private constructor(storeDirectory: string, quarantine: Quarantine, signal?: AbortSignal) {
    this.#storeDirectory = storeDirectory
    this.#quarantine = quarantine
    this.#child = spawnGit(
      [
        '-c',
        'fastimport.unpackLimit=100',
        'fast-import',
        '--quiet',
        '--done',
        '--depth=0',
        '--date-format=raw',
      ],
      { gitDirectory: quarantine.gitDirectory, signal },
    )
    this.#end = ended(this.#child)
    // Awaited in finish or abort; until then a failure must not count as unhandled.
    this.#end.catch(() => undefined)
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  /** The caller ends it with `finish` or `abort`. */
  static async open(storeDirectory: string, signal?: AbortSignal): Promise<TreeWriter> {
    return new TreeWriter(storeDirectory, await openQuarantine(storeDirectory), signal)
  }

  /** Adds a file whose bytes are at hand. */
  async add(path: string, mode: FileMode, content: Uint8Array): Promise<WrittenFile> {
    return await this.addStream(path, mode, content.length, [content])
  }

  /** Adds a file of exactly `sizeBytes` bytes; with more or fewer the tree can only be aborted. */
  async addStream(
    path: string,
    mode: FileMode,
    sizeBytes: number,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<WrittenFile> {
    this.#marks += 1
    const mark = this.#marks
    await this.#write(`blob\nmark :${mark}\ndata ${sizeBytes}\n`)
    let written = 0
    for await (const chunk of content) {
      written += chunk.length
      if (written > sizeBytes) break
      await this.#write(chunk)
    }
    if (written !== sizeBytes) {
      throw new Fault('infra/tree-write', `${path}: expected ${sizeBytes} bytes and got ${written}`)
    }
    await this.#write('\n')
    return this.addAgain(path, mode, mark)
  }

  /** Adds a file with the content of one that was added before. */
  addAgain(path: string, mode: FileMode, file: WrittenFile): WrittenFile {
    if (!isPlainPath(path)) throw new Fault('bug/tree-path', `not a path of a tree: ${JSON.stringify(path)}`)
    this.#files.push(`M ${mode} :${file} ${quotePath(path)}\n`)
    return file
  }

  /** Makes the tree and a ref that keeps it. */
  async finish(): Promise<TreeId> {
    await this.#write(
      `commit refs/heads/none\nmark :1\ncommitter ${NEUTRAL_IDENTITY} ${NEUTRAL_TIME}\n` +
        `data ${Buffer.byteLength(NEUTRAL_MESSAGE)}\n${NEUTRAL_MESSAGE}\n`,
    )
    for (const file of this.#files) await this.#write(file)
    // `get-mark` ends the commit: a bare `ls` would still belong to it.
    await this.#write('get-mark :1\nls :1 ""\ndone\n')
    this.#child.stdin.end()
    const commit = await this.#lines.next()
    const answer = await this.#lines.next()
    const { code, stderr } = await this.#end
    const tree = answer.done === true ? undefined : /^040000 tree ([0-9a-f]+)\t/.exec(answer.value)?.[1]
    if (code !== 0 || tree === undefined || commit.done === true) {
      throw new Fault('infra/tree-write', `git fast-import failed: ${stderr || 'no tree came back'}`)
    }
    await release(this.#quarantine, this.#storeDirectory)
    await updateRefs(this.#storeDirectory, [`update ${treeRef(tree)} ${commit.value}`])
    await this.abort()
    return tree
  }

  /** Drops everything that has not been finished. */
  async abort(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#end.catch(() => undefined)
    await rm(this.#quarantine.scratch, { recursive: true, force: true })
  }

  async #write(data: string | Uint8Array): Promise<void> {
    const { stdin } = this.#child
    if (stdin.destroyed || stdin.writableEnded) {
      const { code, stderr } = await this.#end
      throw new Fault('infra/tree-write', `git fast-import ended early (${code ?? 'signal'}): ${stderr}`)
    }
    if (!stdin.write(data)) await drained(stdin)
  }
}

/** Waits until a stream takes more, or is closed. */
async function drained(stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done)
      resolve()
    }
    stream.on('drain', done).on('close', done)
  })
}

function isPlainPath(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

/** A path as fast-import reads it: C-style quotes, other bytes as they are. */
function quotePath(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
