import type { EngineInfo } from '../../../specs/sandbox.ts'

/** One thing about the host that matters, and how to mend it when it is not well. */
export interface HostCheck {
  readonly name: string
  /** `warn`: Assay works, with less; `fail`: it does not. */
  readonly state: 'ok' | 'warn' | 'fail'
  /** What was found, in one line. */
  readonly saw: string
  /** What to do about it; empty when there is nothing to do. */
  readonly mend: string
}

/** How a program fared that went over a limit on purpose. */
export type LimitTrial =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'went-on'; readonly what: string }
  | { readonly kind: 'not-tried'; readonly why: string }

/** What was gathered; nothing here is judged yet. */
export interface HostFacts {
  /** Where the engine was looked for. */
  readonly address: string
  readonly engine: EngineInfo | { readonly unreachable: string }
  /** Container runtime that boxes are to have; absent: the engine's default. */
  readonly wantedRuntime?: string
  readonly hasInit: boolean
  readonly memoryTrial: LimitTrial
  readonly processTrial: LimitTrial
  /** Undefined where the engine keeps its files out of our sight. */
  readonly engineFreeBytes: number | undefined
  readonly stateDir: string
  readonly stateFreeBytes: number | undefined
  /** The engine's clock minus ours. */
  readonly engineClockAheadMs: number | undefined
  /** How far wall clock and monotonic clock went apart while all this was gathered. */
  readonly clockDriftMs: number
  readonly nowMs: number
}

const GIB = 2 ** 30
const MIN_API = [1, 41] as const
const FREE = {
  engine: { warnBytes: 5 * GIB, failBytes: GIB },
  state: { warnBytes: GIB, failBytes: GIB / 8 },
} as const
const LEAST_MEMORY_BYTES = 2 * GIB
const MOST_SKEW_MS = 5_000
const MOST_DRIFT_MS = 500
/** No clock that is right shows a time before this program was written. */
const EARLIEST_MS = Date.UTC(2025, 0, 1)

/** The checks, in the order in which they are to be mended. An engine that does not answer leaves only what needs none. */
export function judgeHost(facts: HostFacts): HostCheck[] {
  const { engine } = facts
  const ofHost = [stateDisk(facts), clock(facts)]
  if ('unreachable' in engine) {
    const mend =
      'Start the engine (systemctl start docker, or dockerd), or point --docker-host or DOCKER_HOST at it; your user must be allowed to use its socket.'
    return [
      { name: 'engine', state: 'fail', saw: `${facts.address}: ${engine.unreachable}`, mend },
      ...ofHost,
    ]
  }
  return [
    ok('engine', `${facts.address}: ${engine.name} ${engine.version}`),
    apiVersion(engine),
    cgroups(engine),
    trial('memory limit', facts.memoryTrial, 'a program that took more than its box’s memory'),
    trial('process limit', facts.processTrial, 'a program that started more than its box’s processes'),
    swap(engine),
    seccomp(engine),
    init(facts),
    runtimes(engine, facts),
    size(engine),
    engineDisk(engine, facts),
    ...ofHost,
  ]
}

/** The worst state among the checks. */
export function worstOf(checks: readonly HostCheck[]): HostCheck['state'] {
  const states = new Set(checks.map(({ state }) => state))
  return states.has('fail') ? 'fail' : states.has('warn') ? 'warn' : 'ok'
}

function apiVersion({ apiVersion: version }: EngineInfo): HostCheck {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > MIN_API[0] || (major === MIN_API[0] && minor >= MIN_API[1])
  if (isEnough) return ok('engine API', version)
  return fail(
    'engine API',
    version || 'none',
    `Assay needs API ${MIN_API.join('.')} (Docker 20.10, Podman 4) or newer.`,
  )
}

function runtimes({ runtimes: known }: EngineInfo, { wantedRuntime }: HostFacts): HostCheck {
  const saw = known.join(', ') || 'the engine names none'
  if (wantedRuntime === undefined || known.includes(wantedRuntime)) return ok('runtimes', saw)
  const mend = `Install ${wantedRuntime} and name it in the engine's configuration ("runtimes" of /etc/docker/daemon.json), or leave --runtime out.`
  return fail('runtimes', `${saw}; no ${wantedRuntime}`, mend)
}

function cgroups(engine: EngineInfo): HostCheck {
  const missing = [
    engine.memoryLimit ? '' : 'memory',
    engine.pidsLimit ? '' : 'pids',
    engine.cpuLimit ? '' : 'cpu',
  ].filter((name) => name !== '')
  const version = `cgroup v${engine.cgroupVersion}`
  if (missing.length === 0) return ok('cgroups', `${version}: memory, pids and cpu`)
  const mend =
    'Enable these cgroup controllers for the engine (a rootless engine needs them delegated to its user).'
  return fail('cgroups', `${version} without ${missing.join(', ')}`, mend)
}

function trial(name: string, outcome: LimitTrial, what: string): HostCheck {
  if (outcome.kind === 'stopped') return ok(name, `${what} was stopped`)
  if (outcome.kind === 'not-tried')
    return warn(name, `not tried: ${outcome.why}`, 'Build the images (assay images build), then ask again.')
  return fail(
    name,
    `${what} went on: ${outcome.what}`,
    'The engine promises this limit and does not keep it: look at its cgroup driver.',
  )
}

function swap(engine: EngineInfo): HostCheck {
  if (engine.swapLimit) return ok('swap', 'boxes get none')
  const mend = 'Boot with swapaccount=1, or turn swap off, so that a box’s memory limit is all it gets.'
  return warn('swap', 'the engine cannot limit it', mend)
}

function seccomp(engine: EngineInfo): HostCheck {
  const option = engine.securityOptions.find((text) => text.includes('seccomp'))
  if (option === undefined) {
    return warn(
      'seccomp',
      'the engine does not name it',
      'Use an engine built with seccomp: boxes see the whole kernel interface without it.',
    )
  }
  if (option.includes('unconfined'))
    return fail('seccomp', option, 'Give the engine its default seccomp profile back.')
  return ok('seccomp', option)
}

function init(facts: HostFacts): HostCheck {
  if (facts.hasInit) return ok('init', 'the engine brings its own')
  return warn(
    'init',
    'the engine brings none',
    'Install docker-init (tini); until then a shell in the box does its work.',
  )
}

function size(engine: EngineInfo): HostCheck {
  const saw = `${engine.cpus} cores, ${gib(engine.memoryBytes)}`
  if (engine.memoryBytes >= LEAST_MEMORY_BYTES) return ok('size', saw)
  return warn('size', saw, `Fewer boxes at once, or at least ${gib(LEAST_MEMORY_BYTES)} of memory.`)
}

function engineDisk(engine: EngineInfo, facts: HostFacts): HostCheck {
  const mend = `Free disk on the engine’s directory ${engine.rootDir} (docker system df shows what takes it).`
  return disk('engine disk', engine.rootDir, facts.engineFreeBytes, FREE.engine, mend)
}

function stateDisk(facts: HostFacts): HostCheck {
  const mend = `Free disk on the state directory ${facts.stateDir}, or move it.`
  return disk('state disk', facts.stateDir, facts.stateFreeBytes, FREE.state, mend)
}

function disk(
  name: string,
  path: string,
  freeBytes: number | undefined,
  least: { readonly warnBytes: number; readonly failBytes: number },
  mend: string,
): HostCheck {
  if (freeBytes === undefined) return warn(name, `${path}: cannot be seen from here`, mend)
  const saw = `${path}: ${gib(freeBytes)} free`
  if (freeBytes < least.failBytes) return fail(name, saw, mend)
  return freeBytes < least.warnBytes ? warn(name, saw, mend) : ok(name, saw)
}

function clock(facts: HostFacts): HostCheck {
  const mend = 'Set the clock and keep it (systemd-timesyncd, chrony).'
  const ahead = facts.engineClockAheadMs
  if (facts.nowMs < EARLIEST_MS) return fail('clock', new Date(facts.nowMs).toISOString(), mend)
  if (ahead !== undefined && Math.abs(ahead) > MOST_SKEW_MS) {
    return warn('clock', `the engine’s is ${Math.round(ahead / 1000)} s ahead of ours`, mend)
  }
  if (Math.abs(facts.clockDriftMs) > MOST_DRIFT_MS) {
    return warn('clock', `it jumped by ${Math.round(facts.clockDriftMs)} ms while it was watched`, mend)
  }
  return ok('clock', new Date(facts.nowMs).toISOString())
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`
}

function ok(name: string, saw: string): HostCheck {
  return { name, state: 'ok', saw, mend: '' }
}

function warn(name: string, saw: string, mend: string): HostCheck {
  return { name, state: 'warn', saw, mend }
}

function fail(name: string, saw: string, mend: string): HostCheck {
  return { name, state: 'fail', saw, mend }
}
