import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import type { TreeId } from '../../specs/digest.ts'
import type { BoxLimits, ExecResult, Sandbox, StoppedBox } from '../../specs/sandbox.ts'
import type { TarOptions, Trees } from '../../specs/trees.ts'
import { volumeRoot } from '../../specs/volume-root.ts'
import { readable } from '../pure/readable.ts'
import { CHECK_SET_CAPS } from '../read-check-set.ts'
import type { Author, FileCaps, FilesOutcome, HandIn, Reply } from './author.ts'

/** Papers, program and the folder for the set; the program's own tree stands at the task's workdir. */
const ORACLE_PATHS = {
  papers: '/assay',
  request: '/assay/request.md',
  admission: '/assay/admission.json',
  program: '/assay/program',
  checks: '/assay/checks',
} as const

/** Reads the tar of one folder that an adversary may have filled. Paths are relative to that folder. */
type ReadFiles = (tar: Readable, caps: FileCaps, signal: AbortSignal) => Promise<FilesOutcome>

export interface CommandAuthorOptions {
  readonly argv: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
  readonly label?: string
  readonly sandbox: Sandbox
  readonly trees: Pick<Trees, 'tar'>
  readonly readFiles: ReadFiles
  readonly runId: string
  readonly imageId: string
  readonly limits: BoxLimits
  readonly runtime?: string
  /** Whom the command runs as; owns its copy of base and the folder for the set, and nothing else. */
  readonly user: TarOptions
  readonly base: TreeId
  readonly workdir: string
  /** The request's text. */
  readonly request: string
  /** The tree of the author's program, laid read-only at `/assay/program`. */
  readonly program?: TreeId
  readonly timeoutMs: number
  readonly onOutput?: (text: string) => void
}

const LOG_CHARS = 4000

/**
 * Any program as an author, in an oracle box of its own for each try. It finds the request, a copy of base that it may
 * change, and after the first try `admission.json` with the reasons against the last set; it leaves its set in the
 * checks folder. That folder is read only after every process of the box was stopped.
 */
export function commandAuthor(options: CommandAuthorOptions): Author {
  return {
    label: options.label ?? options.argv.join(' ').slice(0, 80).toWellFormed(),
    hearsReasons: true,
    handIn: ({ reply, signal }) => writeInBox(options, reply, signal),
  }
}

async function writeInBox(
  options: CommandAuthorOptions,
  reply: Reply | undefined,
  signal: AbortSignal,
): Promise<HandIn> {
  const { sandbox, trees, runId, imageId, user, program } = options
  const volumes: string[] = []
  try {
    const common = { runId, kind: 'oracle', imageId } as const
    const copy = await sandbox.createVolume(
      {
        ...common,
        layers: [
          { at: '', tar: volumeRoot(user) },
          { at: '', tar: trees.tar(options.base, user) },
        ],
      },
      signal,
    )
    volumes.push(copy)
    const root = { uid: 0, gid: 0 }
    const programLayer = program === undefined ? [] : [{ at: 'program', tar: trees.tar(program, root) }]
    const papers = await sandbox.createVolume(
      { ...common, layers: [{ at: '', tar: papersOf(options.request, reply, user) }, ...programLayer] },
      signal,
    )
    volumes.push(papers)
    return await runInBox(options, { copy, papers, hasReply: reply !== undefined }, signal)
  } finally {
    for (const volume of volumes) await sandbox.removeVolume(volume)
  }
}

async function runInBox(
  options: CommandAuthorOptions,
  given: { readonly copy: string; readonly papers: string; readonly hasReply: boolean },
  signal: AbortSignal,
): Promise<HandIn> {
  const box = await options.sandbox.startBox(
    {
      kind: 'oracle',
      imageId: options.imageId,
      runId: options.runId,
      limits: options.limits,
      mounts: [
        { volume: given.copy, path: options.workdir, readOnly: false },
        // Writable for the checks folder alone: everything else in it belongs to root.
        { volume: given.papers, path: ORACLE_PATHS.papers, readOnly: false },
      ],
      user: `${options.user.uid}:${options.user.gid}`,
      workdir: options.workdir,
      env: {},
      ...(options.runtime === undefined ? {} : { runtime: options.runtime }),
    },
    signal,
  )
  try {
    const result = await box.exec(
      {
        argv: options.argv,
        cwd: options.workdir,
        env: {
          HOME: '/tmp',
          TMPDIR: '/tmp',
          ...options.env,
          ASSAY_REQUEST: ORACLE_PATHS.request,
          ASSAY_TREE: options.workdir,
          ASSAY_CHECKS: ORACLE_PATHS.checks,
          ...(given.hasReply ? { ASSAY_ADMISSION: ORACLE_PATHS.admission } : {}),
        },
        timeoutMs: options.timeoutMs,
        onOutput: (_, chunk) => options.onOutput?.(readable(chunk.toString('utf8'), LOG_CHARS)),
      },
      signal,
    )
    const log = lastLines(result)
    const { end } = result
    if (end.kind === 'timeout') return { kind: 'timeout', timeoutMs: options.timeoutMs, log }
    if (end.kind === 'limit') return { kind: 'limit', limit: end.limit, log }
    // A set that its author did not finish is no set, whatever lies there.
    if (end.code !== 0) {
      return { kind: 'refused', reason: `the author's command ended with exit code ${end.code}`, log }
    }
    return { ...(await readSet(options, await box.stop(), signal)), log }
  } finally {
    await box.destroy()
  }
}

async function readSet(
  options: CommandAuthorOptions,
  stopped: StoppedBox,
  signal: AbortSignal,
): Promise<HandIn> {
  const tar = await stopped.readTar(ORACLE_PATHS.checks, signal)
  const outcome = await options.readFiles(tar, CHECK_SET_CAPS, signal)
  if (outcome.kind === 'refused') return { kind: 'refused', reason: readable(outcome.reason, 500) }
  return outcome.files.size === 0 ? { kind: 'nothing' } : { kind: 'handed-in', files: outcome.files }
}

function lastLines({ stderr }: ExecResult): string {
  const text = stderr.toString('utf8')
  return readable(text.slice(Math.max(0, text.length - LOG_CHARS)), LOG_CHARS)
}

/** A volume's root belongs to root until a layer says otherwise. */
function papersOf(request: string, reply: Reply | undefined, owner: TarOptions): Readable {
  const tar = pack()
  const paper = { mode: 0o444, uid: 0, gid: 0, mtime: new Date(0) }
  tar.entry({ ...paper, name: './', type: 'directory', mode: 0o755 })
  tar.entry({ ...paper, name: 'request.md' }, request)
  if (reply !== undefined) {
    tar.entry({ ...paper, name: 'admission.json' }, `${JSON.stringify({ version: 1, ...reply }, null, 2)}\n`)
  }
  tar.entry({ ...paper, name: 'checks/', type: 'directory', mode: 0o755, ...owner })
  tar.finalize()
  return Readable.from(tar)
}
