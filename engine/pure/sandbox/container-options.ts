import type { BoxSpec, Owner, VolumeSpec } from '../../../specs/sandbox.ts'
import { labelsOf } from './labels.ts'

/** What has to be known of the engine and of the image before a box can be described. */
export interface BoxFacts {
  /** The engine can put its own init in as the first process. */
  readonly hasInit: boolean
  /** Paths that the image declares as VOLUME: they would be disk that nobody watches. */
  readonly imageVolumes: readonly string[]
}

/** Where a loader container has the volume mounted while it is filled. */
export const LOADER_MOUNT = 'v'

/** About 68 years, and every `sleep` takes it. */
const FOREVER_SECONDS = '2147483647'

/**
 * Who the box's first process runs as: never root and never the box's own user, so that nothing in the box can
 * signal it, not even `kill -9 -1` by the box's user. Our images call it `box-init`.
 */
export function waiterUser(boxUser: string): string {
  const boxUid = boxUser.split(':', 1)[0]
  const uid = boxUid === '19999' ? '19998' : '19999'
  return `${uid}:${uid}`
}

/**
 * The rule that nothing in a box runs as root, or as the box's first process does. Returns what is wrong, or undefined.
 * @param waiter the first process's user, where there is one already.
 */
export function userProblem(user: string, waiter?: string): string | undefined {
  const match = /^(\d+):(\d+)$/.exec(user)
  if (!match) return `user ${JSON.stringify(user)} is not uid:gid in digits`
  if (Number(match[1]) === 0 || Number(match[2]) === 0) return `user ${user} is root`
  if (waiter !== undefined && match[1] === waiter.split(':', 1)[0])
    return `user ${user} is the box's first process's`
  return undefined
}

/**
 * The engine's create options for a box. Pure: the same spec gives the same options.
 *
 * Invariants (D10, D11, D13): no network, no capability, no way to gain one, default seccomp (no security option but
 * no-new-privileges is ever passed), read-only root, no swap, no log on the host, nothing inherited from the host's
 * DNS or name, and nothing writable but the given mounts and tmpfs of a known size.
 */
export function boxCreateOptions(spec: BoxSpec, owner: Owner, facts: BoxFacts) {
  const { limits } = spec
  const wait = ['sleep', FOREVER_SECONDS]
  const waitAndReap = ['sh', '-c', `while :; do sleep ${FOREVER_SECONDS}; done`]
  const tmpfs = (exec: 'exec' | 'noexec') =>
    `rw,nosuid,nodev,${exec},mode=1777,size=${limits.tmpBytes},nr_inodes=${limits.inodes}`
  const mounted = new Set(spec.mounts.map((mount) => mount.path))
  const shadowed = facts.imageVolumes.filter((path) => !mounted.has(path))
  return {
    Image: spec.imageId,
    Entrypoint: facts.hasInit ? wait : waitAndReap,
    Cmd: [] as string[],
    User: waiterUser(spec.user),
    WorkingDir: '/',
    Env: envList(spec.env),
    Hostname: 'box',
    Labels: labelsOf(owner, spec.runId, spec.kind),
    Healthcheck: { Test: ['NONE'] },
    AttachStdin: false,
    AttachStdout: false,
    AttachStderr: false,
    Tty: false,
    OpenStdin: false,
    HostConfig: {
      // Not NetworkDisabled: without the engine's /etc/hosts a program does not know localhost.
      NetworkMode: 'none',
      IpcMode: 'private',
      CgroupnsMode: 'private' as const,
      Init: facts.hasInit,
      Privileged: false,
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: hostProcesses(limits.processes, spec.runtime),
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      OomKillDisable: false,
      NanoCpus: Math.round(limits.cpus * 1e9),
      Ulimits: [
        { Name: 'fsize', Soft: limits.fileSizeBytes, Hard: limits.fileSizeBytes },
        { Name: 'nofile', Soft: limits.openFiles, Hard: limits.openFiles },
        { Name: 'core', Soft: 0, Hard: 0 },
      ],
      // Our own /dev/shm: the engine's has no limit of inodes.
      Tmpfs: {
        ...Object.fromEntries(
          ['/tmp', ...(spec.tmpfs ?? []), ...shadowed].map((path) => [path, tmpfs('exec')]),
        ),
        '/dev/shm': tmpfs('noexec'),
      },
      Mounts: spec.mounts.map((mount) => volumeMount(mount.volume, mount.path, mount.readOnly)),
      LogConfig: { Type: 'none', Config: {} },
      Dns: ['127.0.0.1'],
      RestartPolicy: { Name: 'no' },
      ...(spec.runtime === undefined ? {} : { Runtime: spec.runtime }),
    },
  }
}

/** Whether a runtime is gVisor, by its name: the engine does not say what a runtime is. */
export function isGvisor(runtime: string | undefined): boolean {
  return runtime !== undefined && /runsc|gvisor/i.test(runtime)
}

/**
 * gVisor's own kernel is a program of the host: its threads are in the box's pids cgroup, a few for itself and up to
 * three for each process that it runs. With a limit that is meant for the box's processes it does not even start.
 */
const GVISOR_THREADS = 128
const GVISOR_THREADS_PER_PROCESS = 3

/** What the pids cgroup has to allow, so that so many processes can run in the box. */
function hostProcesses(processes: number, runtime: string | undefined): number {
  return isGvisor(runtime) ? GVISOR_THREADS + GVISOR_THREADS_PER_PROCESS * processes : processes
}

/** Create options of a container that is never started: it only lends its image and mounts to the archive API. */
export function loaderCreateOptions(
  spec: Pick<VolumeSpec, 'imageId' | 'kind' | 'runId'>,
  owner: Owner,
  volume?: string,
) {
  return {
    Image: spec.imageId,
    Entrypoint: ['/never-started'],
    Cmd: [] as string[],
    User: '19999:19999',
    Labels: labelsOf(owner, spec.runId, spec.kind),
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: 'none',
      CapDrop: ['ALL'],
      LogConfig: { Type: 'none', Config: {} },
      Mounts: volume === undefined ? [] : [volumeMount(volume, `/${LOADER_MOUNT}`, false)],
    },
  }
}

/** `NAME=value` as the engine wants it. */
export function envList(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`)
}

function volumeMount(volume: string, target: string, readOnly: boolean) {
  return {
    Type: 'volume' as const,
    Source: volume,
    Target: target,
    ReadOnly: readOnly,
    // Without this the engine copies what the image has at the target into an empty volume.
    VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } },
  }
}
