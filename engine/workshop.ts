import { join } from 'node:path'
import type { ImageDeps } from '../images/deps.ts'
import type { Grade } from '../specs/grade.ts'
import { Once } from './grade/once.ts'
import { openLog, type Log } from './log.ts'
import { isGvisor } from './pure/sandbox/container-options.ts'
import { engineClient } from './sandbox/engine-client.ts'
import { DockerSandbox } from './sandbox/docker-sandbox.ts'
import { openStateDirectory, type StateDirectory } from './state-directory.ts'
import { GitTreeStore } from './trees/git-tree-store.ts'

/** The parts that every command works with. The one place where they are put together. */
export interface Workshop {
  readonly state: StateDirectory
  readonly sandbox: DockerSandbox
  readonly store: GitTreeStore
  /** Grades under way, by key: two attempts that left the same tree are one question. */
  readonly grading: Once<Grade>
  /** What `images/` is given; `progress` tells the user about a build. */
  images(progress: (line: string) => void, signal: AbortSignal): ImageDeps
  readonly now: () => Date
  readonly log: Log
  /** Container runtime of all boxes; the engine's default when absent. */
  readonly runtime?: string
}

export interface WorkshopOptions {
  readonly stateRoot: string
  /** `unix:///path` or `tcp://host:port`; DOCKER_HOST or the usual sockets when absent. */
  readonly dockerHost?: string
  /** Container runtime of all boxes, e.g. `runsc`. */
  readonly runtime?: string
  /** Structured log lines on stderr; none when absent. */
  readonly logLevel?: 'warn' | 'info'
  /** Ends the asking for what a killed process left. */
  readonly signal?: AbortSignal
}

/** An engine that works lists its containers in far less. */
const SWEEP_ANSWER_MS = 3000

/**
 * Removes what killed processes left on the engine, if an engine answers: a command that needs none works without one,
 * and beside one that does not answer.
 * @throws the signal's reason.
 */
export async function sweepLeftovers(options: WorkshopOptions): Promise<void> {
  const { signal } = options
  try {
    const asking = { timeoutMs: SWEEP_ANSWER_MS, ...(signal === undefined ? {} : { signal }) }
    await connect(options).reap('orphans', asking)
  } catch {
    // No engine, or no state directory yet, which then has left nothing.
  }
  signal?.throwIfAborted()
}

/**
 * Opens the state directory.
 * @throws Fault `config/state`.
 */
export async function openWorkshop(options: WorkshopOptions): Promise<Workshop> {
  const state = await openStateDirectory(options.stateRoot)
  const docker = engineClient(options.dockerHost)
  const registry = process.env['ASSAY_REGISTRY']
  return {
    state,
    sandbox: connect(options),
    store: await GitTreeStore.open(state.store),
    grading: new Once(),
    images: (progress, signal) => ({
      docker,
      stateDir: state.root,
      signal,
      progress,
      readableRuntimes: isGvisor(options.runtime),
      ...(registry === undefined || registry === '' ? {} : { registry }),
    }),
    now: () => new Date(),
    log: openLog(options.logLevel ?? 'silent'),
    ...(options.runtime === undefined ? {} : { runtime: options.runtime }),
  }
}

function connect({ stateRoot, dockerHost }: WorkshopOptions): DockerSandbox {
  return DockerSandbox.connect({
    stateDir: stateRoot,
    ...(dockerHost === undefined ? {} : { dockerHost }),
  })
}

/** Where a run keeps its record. */
export function runDirectory(state: StateDirectory, run: string): string {
  return join(state.runs, run)
}
