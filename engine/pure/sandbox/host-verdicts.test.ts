import { expect, test } from 'vitest'
import type { EngineInfo } from '../../../specs/sandbox.ts'
import { judgeHost, worstOf, type HostFacts } from './host-verdicts.ts'

const GIB = 2 ** 30
const ENGINE: EngineInfo = {
  name: 'vm',
  version: '20.10.24',
  apiVersion: '1.41',
  cgroupVersion: '2',
  runtimes: ['runc'],
  securityOptions: ['name=seccomp,profile=default'],
  memoryLimit: true,
  pidsLimit: true,
  cpuLimit: true,
  swapLimit: true,
  cpus: 2,
  memoryBytes: 8 * GIB,
  rootDir: '/var/lib/docker',
}
const GOOD: HostFacts = {
  address: '/var/run/docker.sock',
  engine: ENGINE,
  hasInit: true,
  memoryTrial: { kind: 'stopped' },
  processTrial: { kind: 'stopped' },
  engineFreeBytes: 100 * GIB,
  stateDir: '/home/a/.assay',
  stateFreeBytes: 100 * GIB,
  engineClockAheadMs: 3,
  clockDriftMs: 1,
  nowMs: Date.UTC(2026, 10, 30),
}

test('of a good host everything is ok, and nothing is to be mended', () => {
  const checks = judgeHost(GOOD)
  expect(checks.filter(({ state, mend }) => state !== 'ok' || mend !== '')).toEqual([])
  expect(worstOf(checks)).toBe('ok')
})

const engine = (part: Partial<EngineInfo>): Partial<HostFacts> => ({ engine: { ...ENGINE, ...part } })
test.each<[string, Partial<HostFacts>, string, 'ok' | 'warn' | 'fail', RegExp]>([
  [
    'no engine answers',
    { engine: { unreachable: 'connect ENOENT' } },
    'engine',
    'fail',
    /docker\.sock: connect ENOENT/,
  ],
  ['the runtime that is wanted is there', { wantedRuntime: 'runc' }, 'runtimes', 'ok', /runc/],
  [
    'the runtime that is wanted is not there',
    { wantedRuntime: 'runsc' },
    'runtimes',
    'fail',
    /runc; no runsc/,
  ],
  ['the engine is too old', engine({ apiVersion: '1.40' }), 'engine API', 'fail', /^1\.40$/],
  ['the engine is newer', engine({ apiVersion: '1.52' }), 'engine API', 'ok', /^1\.52$/],
  ['the engine is of another age', engine({ apiVersion: '2.0' }), 'engine API', 'ok', /^2\.0$/],
  ['the engine names no version', engine({ apiVersion: '' }), 'engine API', 'fail', /none/],
  [
    'no memory or pids controller',
    engine({ memoryLimit: false, pidsLimit: false }),
    'cgroups',
    'fail',
    /without memory, pids/,
  ],
  [
    'memory is limited in word only',
    { memoryTrial: { kind: 'went-on', what: 'exit code 0' } },
    'memory limit',
    'fail',
    /exit code 0/,
  ],
  [
    'processes are limited in word only',
    { processTrial: { kind: 'went-on', what: '40 of 40' } },
    'process limit',
    'fail',
    /40 of 40/,
  ],
  [
    'there is no image to try with',
    { memoryTrial: { kind: 'not-tried', why: 'no image' } },
    'memory limit',
    'warn',
    /no image/,
  ],
  ['swap cannot be limited', engine({ swapLimit: false }), 'swap', 'warn', /cannot/],
  [
    'the engine has no seccomp',
    engine({ securityOptions: ['name=apparmor'] }),
    'seccomp',
    'warn',
    /does not name/,
  ],
  [
    'seccomp is turned off',
    engine({ securityOptions: ['name=seccomp,profile=unconfined'] }),
    'seccomp',
    'fail',
    /unconfined/,
  ],
  ['there is no init', { hasInit: false }, 'init', 'warn', /none/],
  ['the host is small', engine({ memoryBytes: GIB }), 'size', 'warn', /1\.0 GiB/],
  ['the engine’s disk fills', { engineFreeBytes: 2 * GIB }, 'engine disk', 'warn', /2\.0 GiB free/],
  ['the engine’s disk is full', { engineFreeBytes: 1000 }, 'engine disk', 'fail', /0\.0 GiB free/],
  ['the engine’s disk is elsewhere', { engineFreeBytes: undefined }, 'engine disk', 'warn', /cannot be seen/],
  ['the state’s disk is full', { stateFreeBytes: 0 }, 'state disk', 'fail', /\.assay: 0\.0 GiB/],
  ['the clock is at the epoch', { nowMs: 1000 }, 'clock', 'fail', /1970/],
  ['the engine’s clock is another', { engineClockAheadMs: -60_000 }, 'clock', 'warn', /-60 s/],
  ['the clock jumps', { clockDriftMs: 4000 }, 'clock', 'warn', /4000 ms/],
])('%s', (_, part, name, state, saw) => {
  const check = judgeHost({ ...GOOD, ...part }).find((each) => each.name === name)
  expect(check).toMatchObject({ state, saw: expect.stringMatching(saw) as string })
  expect(check?.mend === '').toBe(state === 'ok')
})

test('without an engine nothing is said about what only it could tell', () => {
  const names = judgeHost({ ...GOOD, engine: { unreachable: 'no' } }).map(({ name }) => name)
  expect(names).toEqual(['engine', 'state disk', 'clock'])
})
