import type Dockerode from 'dockerode'
import { statfs } from 'node:fs/promises'
import type { BoxLimits, ExecResult, Sandbox } from '../../specs/sandbox.ts'
import { Fault, toFault } from '../../specs/fault.ts'
import { judgeHost, type HostCheck, type HostFacts, type LimitTrial } from '../pure/sandbox/host-verdicts.ts'
import { DockerSandbox } from './docker-sandbox.ts'
import { engineCall } from './engine-call.ts'
import { engineAddressText, engineClient } from './engine-client.ts'

const ANSWER_MS = 10_000
const TRIAL_MS = 20_000
const RUN_ID = 'host-checks'
const MIB = 2 ** 20
const TRIAL_LIMITS: BoxLimits = {
  memoryBytes: 32 * MIB,
  cpus: 1,
  processes: 12,
  fileSizeBytes: MIB,
  openFiles: 64,
  tmpBytes: MIB,
  diskBytes: MIB,
  inodes: 1000,
  outputBytes: 4096,
}
/** `tail` keeps a line that never ends. */
const TAKE_MEMORY = 'head -c 400m /dev/zero | tail'
const TRIAL_PROCESSES = 40
const TAKE_PROCESSES = `i=0; while [ $i -lt ${TRIAL_PROCESSES} ]; do sleep 30 >/dev/null 2>&1 & i=$((i+1)); done`

export interface HostCheckOptions {
  /** Must exist. */
  readonly stateDir: string
  readonly dockerHost?: string
  /** An image with `sh`, to try the limits in; without one they are not tried. */
  readonly imageId?: string
  /** Container runtime that boxes are to have; the engine's default when absent. */
  readonly runtime?: string
}

/**
 * Looks at the host: engine, limits that really limit, disk, seccomp, init, clock. Never throws for what it finds; an
 * engine that is not there is a check that failed.
 * @throws Fault `config/docker-host`, `interrupted/aborted`
 */
export async function checkHost(options: HostCheckOptions, signal: AbortSignal): Promise<HostCheck[]> {
  return judgeHost(await gatherHostFacts(options, signal))
}

async function gatherHostFacts(options: HostCheckOptions, signal: AbortSignal): Promise<HostFacts> {
  const startedMs = { wall: Date.now(), monotonic: performance.now() }
  const docker = engineClient(options.dockerHost)
  const sandbox = DockerSandbox.connect(options)
  const engine = await sandbox
    .info(ANSWER_MS)
    .catch((error: unknown) => ({ unreachable: toFault(error).message }))
  const isThere = !('unreachable' in engine)
  const ofEngine = isThere ? await initAndClock(docker, signal) : { hasInit: false, aheadMs: undefined }
  return {
    address: engineAddressText(options.dockerHost),
    ...(options.runtime === undefined ? {} : { wantedRuntime: options.runtime }),
    engine,
    hasInit: ofEngine.hasInit,
    ...(await trials(sandbox, isThere, options.imageId, signal)),
    engineFreeBytes: isThere ? await freeBytes(engine.rootDir) : undefined,
    stateDir: options.stateDir,
    stateFreeBytes: await freeBytes(options.stateDir),
    engineClockAheadMs: ofEngine.aheadMs,
    clockDriftMs: Date.now() - startedMs.wall - (performance.now() - startedMs.monotonic),
    nowMs: Date.now(),
  }
}

async function initAndClock(docker: Dockerode, signal: AbortSignal) {
  const askedMs = Date.now()
  const info = (await engineCall('info', () => docker.info(), { signal })) as {
    InitBinary?: string
    SystemTime?: string
  }
  const midwayMs = (askedMs + Date.now()) / 2
  const engineMs = Date.parse(info.SystemTime ?? '')
  return {
    hasInit: (info.InitBinary ?? '') !== '',
    aheadMs: Number.isNaN(engineMs) ? undefined : engineMs - midwayMs,
  }
}

async function trials(sandbox: Sandbox, isThere: boolean, imageId: string | undefined, signal: AbortSignal) {
  if (!isThere || imageId === undefined) {
    const none: LimitTrial = {
      kind: 'not-tried',
      why: isThere ? 'there is no image yet' : 'no engine answers',
    }
    return { memoryTrial: none, processTrial: none }
  }
  const memoryTrial = await tryLimit(sandbox, imageId, TAKE_MEMORY, signal, ({ end }) =>
    end.kind === 'limit' && end.limit === 'memory' ? undefined : describeEnd(end),
  )
  const processTrial = await tryLimit(sandbox, imageId, TAKE_PROCESSES, signal, ({ end }) =>
    end.kind === 'exited' && end.code === 0 ? `all ${TRIAL_PROCESSES} were started` : undefined,
  )
  return { memoryTrial, processTrial }
}

/** @param wentOn what the program managed that it should not have; undefined when the limit held. */
async function tryLimit(
  sandbox: Sandbox,
  imageId: string,
  script: string,
  signal: AbortSignal,
  wentOn: (result: ExecResult) => string | undefined,
): Promise<LimitTrial> {
  try {
    const box = await sandbox.startBox(
      {
        kind: 'product',
        imageId,
        runId: RUN_ID,
        limits: TRIAL_LIMITS,
        mounts: [],
        user: '20000:20000',
        workdir: '/tmp',
        env: {},
      },
      signal,
    )
    try {
      const what = wentOn(await box.exec({ argv: ['sh', '-c', script], timeoutMs: TRIAL_MS }, signal))
      return what === undefined ? { kind: 'stopped' } : { kind: 'went-on', what }
    } finally {
      await box.destroy()
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof Fault)) throw error
    return { kind: 'not-tried', why: error.message }
  }
}

function describeEnd(end: ExecResult['end']): string {
  if (end.kind === 'exited') return `it ended with exit code ${end.code}`
  return end.kind === 'timeout' ? 'it ran until its deadline' : `it met the ${end.limit} limit`
}

async function freeBytes(path: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}
