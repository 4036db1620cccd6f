import { Readable } from 'node:stream'
import { pack } from 'tar-stream'
import type { TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { BoxLimits, ExecResult, Sandbox } from '../../specs/sandbox.ts'
import type { WorkerSpec } from '../../specs/task.ts'
import type { Trees } from '../../specs/trees.ts'
import { volumeRoot } from '../../specs/volume-root.ts'
import type { Blobs } from '../journal/blobs.ts'
import { cutText } from '../pure/well-formed.ts'
import type { Delivery, Round, Worker } from './worker.ts'

/** The uid and gid of workers in their boxes; our images have a name for it. */
export const WORKER_USER = { uid: 20000, gid: 20000 } as const

export interface CommandWorkerDeps {
  readonly sandbox: Sandbox
  readonly trees: Trees & {
    /** A `.git` folder with exactly one commit, as a tar stream. */
    oneCommitRepository(tree: TreeId, owner: { uid: number; gid: number }, signal?: AbortSignal): Readable
  }
  readonly blobs: Blobs
  readonly runId: string
  readonly imageId: string
  readonly limits: BoxLimits
  readonly workdir: string
  readonly base: TreeId
  readonly request: string
  /** The tree of the worker's program folder. */
  readonly program: TreeId | undefined
  readonly timeoutMs: number
  readonly runtime?: string
  readonly onOutput?: (attempt: number, text: string) => void
}

/**
 * Any command line in a worker box. The tree is its working directory, with a repository that has one commit, base.
 * `/assay/request.md` is the request; from the second round on `/assay/feedback.json` is the last reply and nothing
 * else. Each round has a new box: what was not in the tree is gone.
 */
export function commandWorker(
  spec: Extract<WorkerSpec, { kind: 'command' }>,
  deps: CommandWorkerDeps,
): Worker {
  return {
    label: spec.label ?? cutText(spec.argv.join(' '), 80),
    hearsFeedback: true,
    ...(deps.program === undefined ? {} : { program: deps.program }),
    work: (round, signal) => workInBox(spec, deps, round, signal),
  }
}

async function workInBox(
  spec: Extract<WorkerSpec, { kind: 'command' }>,
  deps: CommandWorkerDeps,
  round: Round,
  signal: AbortSignal,
): Promise<Delivery> {
  const { sandbox, trees, runId, imageId } = deps
  const volumes: string[] = []
  try {
    const volume = { runId, kind: 'worker', imageId } as const
    const workspace = await sandbox.createVolume(
      {
        ...volume,
        layers: [
          { at: '', tar: volumeRoot(WORKER_USER) },
          { at: '', tar: trees.tar(round.tree, WORKER_USER, signal) },
          { at: '', tar: trees.oneCommitRepository(deps.base, WORKER_USER, signal) },
        ],
      },
      signal,
    )
    volumes.push(workspace)
    const program =
      deps.program === undefined ? [] : [{ at: 'program', tar: trees.tar(deps.program, WORKER_USER, signal) }]
    const papers = await sandbox.createVolume(
      { ...volume, layers: [{ at: '', tar: papersTar(deps.request, round) }, ...program] },
      signal,
    )
    volumes.push(papers)
    const box = await sandbox.startBox(
      {
        kind: 'worker',
        imageId,
        runId,
        limits: deps.limits,
        mounts: [
          { volume: workspace, path: deps.workdir, readOnly: false },
          { volume: papers, path: '/assay', readOnly: true },
        ],
        user: `${WORKER_USER.uid}:${WORKER_USER.gid}`,
        workdir: deps.workdir,
        env: {},
        ...(deps.runtime === undefined ? {} : { runtime: deps.runtime }),
      },
      signal,
    )
    try {
      const result = await box.exec(
        {
          argv: spec.argv,
          cwd: deps.workdir,
          env: {
            HOME: '/tmp',
            TMPDIR: '/tmp',
            ASSAY_REQUEST: '/assay/request.md',
            ...(round.feedback === undefined ? {} : { ASSAY_FEEDBACK: '/assay/feedback.json' }),
            ...spec.env,
          },
          timeoutMs: Math.min(deps.timeoutMs, round.leftMs ?? Infinity),
          onOutput: (_, chunk) => deps.onOutput?.(round.attempt, chunk.toString('utf8')),
        },
        signal,
      )
      const stopped = await box.stop()
      const parcel = await deps.blobs.putStream(
        await stopped.readTar(deps.workdir, signal),
        deps.limits.diskBytes * 2,
      )
      if (parcel === undefined) return await tooLarge(deps.blobs)
      return { end: result.end, parcel, log: await deps.blobs.put(logOf(result)) }
    } finally {
      await box.destroy()
    }
  } finally {
    for (const name of volumes) await sandbox.removeVolume(name)
  }
}

/** What is laid at /assay: the request, and k of n when there is one. */
function papersTar(request: string, { feedback }: Round): Readable {
  const tar = pack()
  tar.entry({ name: 'request.md', mode: 0o444 }, request)
  if (feedback !== undefined) {
    tar.entry(
      { name: 'feedback.json', mode: 0o444 },
      JSON.stringify({ failed: feedback.failed, of: feedback.of }),
    )
  }
  tar.finalize()
  return Readable.from(tar)
}

/** A workspace over the cap: there is nothing to open, and the end says which limit it hit. */
async function tooLarge(blobs: Blobs): Promise<Delivery> {
  const empty = pack()
  empty.finalize()
  const parcel = await blobs.putStream(Readable.from(empty), 1_000_000)
  if (parcel === undefined) throw new Fault('bug/parcel', 'an empty tar is larger than a megabyte')
  return { end: { kind: 'limit', limit: 'disk' }, parcel }
}

/** The last 256 KiB of each stream. */
function logOf({ stdout, stderr }: ExecResult): Buffer {
  const tail = (bytes: Buffer) => bytes.subarray(Math.max(0, bytes.length - 256 * 1024))
  return Buffer.concat([
    Buffer.from('--- stdout\n'),
    tail(stdout),
    Buffer.from('\n--- stderr\n'),
    tail(stderr),
  ])
}
