import type { Readable } from 'node:stream'

/**
 * The port to a container engine. `engine/sandbox/docker-sandbox.ts` is the real one, `engine/sandbox/fake-sandbox.ts`
 * a fake; both pass `engine/sandbox/sandbox.contract.ts`. What each limit means and what the program sees when it hits
 * it is in `specs/sandbox.md`.
 *
 * Outcomes of what ran inside are values; the engine's own failures are thrown as `Fault('infra/…')`.
 */
export type BoxKind = 'worker' | 'oracle' | 'product' | 'judge'

export interface BoxLimits {
  /** Memory of all processes of the box together, no swap. */
  readonly memoryBytes: number
  /** Processor time per wall time, e.g. 1 = one core. */
  readonly cpus: number
  /** Processes and threads at once in the box. */
  readonly processes: number
  /** Largest file that a process may write. */
  readonly fileSizeBytes: number
  /** Open files per process. */
  readonly openFiles: number
  /** Size of each tmpfs (/tmp, /dev/shm, and what the spec asks for); it counts as memory too. */
  readonly tmpBytes: number
  /** Bytes on writable volumes of the box, watched from outside; over it the box is killed. */
  readonly diskBytes: number
  /** Files, folders and links on writable volumes of the box together, watched as `diskBytes` is; and on each tmpfs. */
  readonly inodes: number
  /** Bytes of stdout and stderr each that one exec may write before it is ended. */
  readonly outputBytes: number
}

/** A mount of a volume. Boxes of different kinds never share one. */
export interface BoxMount {
  readonly volume: string
  readonly path: string
  readonly readOnly: boolean
}

export interface BoxSpec {
  readonly kind: BoxKind
  /** Image id, `sha256:…`: never a name that can move. */
  readonly imageId: string
  readonly runId: string
  readonly limits: BoxLimits
  readonly mounts: readonly BoxMount[]
  /** Further folders like /tmp: absolute paths, a tmpfs of `tmpBytes` each. */
  readonly tmpfs?: readonly string[]
  /** `uid:gid`, never root. */
  readonly user: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  /** Container runtime, e.g. `runsc`; the engine's default when absent. */
  readonly runtime?: string
}

export interface ExecSpec {
  readonly argv: readonly [string, ...string[]]
  /** Over what the image and the box set; nothing of ours is inherited. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** `uid:gid`; the box's user when absent. */
  readonly user?: string
  /** Written to stdin, which is then closed; a stream is passed on as it comes, so that a program can be talked to. */
  readonly stdin?: Uint8Array | Readable
  /** Wall time by our clock, the engine's work included, after which the whole box is killed. */
  readonly timeoutMs: number
  /** Overrides the box's limit for stdout, and for stderr. */
  readonly outputBytes?: number
  /** Called with each piece of output as it comes, already capped. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
}

/** Which limit ended an exec (or the box). */
export type BoxLimit = 'memory' | 'output' | 'disk' | 'processes'

export type ExecEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'limit'; readonly limit: BoxLimit }

export interface ExecResult {
  readonly end: ExecEnd
  /** At most `outputBytes`; what came after was dropped and `truncated` says so. */
  readonly stdout: Buffer
  readonly stderr: Buffer
  readonly truncated: boolean
  readonly durationMs: number
}

/** One process of a box as the host sees it. */
export interface BoxProcess {
  readonly uid: number
  readonly pid: number
  readonly command: string
}

export interface RunningBox {
  readonly id: string
  readonly kind: BoxKind
  /** Runs one program to its end. After `timeout` or `limit` the box is no longer usable: destroy it. */
  exec(spec: ExecSpec, signal: AbortSignal): Promise<ExecResult>
  /** All processes but the box's first, as the host sees them (never as the box tells). */
  processes(signal: AbortSignal): Promise<readonly BoxProcess[]>
  /** Stops every process. Only a stopped box can be read. */
  stop(): Promise<StoppedBox>
  /** Kills and removes the box, and nothing else; safe to call twice. */
  destroy(): Promise<void>
}

export interface StoppedBox {
  readonly id: string
  /** The content of a path (in the box's volumes or image) as a tar stream, links as links; a folder's as `./`, `./a`. */
  readTar(path: string, signal: AbortSignal): Promise<Readable>
  destroy(): Promise<void>
}

/** What goes into a volume: one tar stream, laid before any box of ours has it mounted. */
export interface VolumeSpec {
  readonly runId: string
  readonly kind: BoxKind
  /** Image whose (never started) container is used to lay the tar. */
  readonly imageId: string
  /** Tar streams and the folder of the volume that each goes to ('' is its root). */
  readonly layers: readonly { readonly at: string; readonly tar: Readable }[]
}

export interface EngineInfo {
  readonly name: string
  readonly version: string
  readonly apiVersion: string
  readonly cgroupVersion: string
  readonly runtimes: readonly string[]
  readonly securityOptions: readonly string[]
  readonly memoryLimit: boolean
  readonly pidsLimit: boolean
  readonly cpuLimit: boolean
  readonly swapLimit: boolean
  readonly cpus: number
  readonly memoryBytes: number
  readonly rootDir: string
}

/** Who made a box or a volume: enough to know whether its maker still lives. */
export interface Owner {
  /** Digest of the state directory's path. */
  readonly state: string
  /** `pid:start time in clock ticks` of the process on this host. */
  readonly process: string
}

export interface ReapReport {
  readonly boxes: number
  readonly volumes: number
  readonly networks: number
}

export interface Sandbox {
  /** @throws Fault `infra/engine-unreachable` when no engine answers within `timeoutMs`. */
  info(timeoutMs: number): Promise<EngineInfo>
  /** Makes a volume and lays the tars into it. Its name is returned. */
  createVolume(spec: VolumeSpec, signal: AbortSignal): Promise<string>
  removeVolume(name: string): Promise<void>
  /** Makes and starts a box whose first process only waits. */
  startBox(spec: BoxSpec, signal: AbortSignal): Promise<RunningBox>
  /** Reads a path out of an image, through a container that is never started. */
  readImage(imageId: string, path: string, signal: AbortSignal): Promise<Readable>
  /**
   * Removes boxes, volumes and networks that carry our label.
   * `run`: those of one run. `orphans`: those whose maker is no longer alive.
   */
  reap(which: { readonly run: string } | 'orphans'): Promise<ReapReport>
}
