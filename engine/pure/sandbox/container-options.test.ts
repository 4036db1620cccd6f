import { test as property, fc } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import type { BoxSpec } from '../../../specs/sandbox.ts'
import {
  boxCreateOptions,
  envList,
  loaderCreateOptions,
  userProblem,
  waiterUser,
} from './container-options.ts'

const OWNER = { state: 'cafe', process: '12:345' }
const FACTS = { hasInit: true, imageVolumes: [] }
const SPEC: BoxSpec = {
  kind: 'product',
  imageId: `sha256:${'a'.repeat(64)}`,
  runId: 'run-1',
  limits: {
    memoryBytes: 1000,
    cpus: 1.5,
    processes: 64,
    fileSizeBytes: 2000,
    openFiles: 100,
    tmpBytes: 3000,
    diskBytes: 4000,
    inodes: 5000,
    outputBytes: 5000,
  },
  mounts: [
    { volume: 'tree', path: '/work', readOnly: true },
    { volume: 'scratch', path: '/scratch', readOnly: false },
  ],
  user: '1000:1000',
  workdir: '/work',
  env: { HOME: '/tmp', A: 'b=c' },
}
const options = boxCreateOptions(SPEC, OWNER, FACTS)

describe('a box', () => {
  test.each([
    ['has no network', { NetworkMode: 'none' }],
    ['has no capability', { CapDrop: ['ALL'], Privileged: false }],
    ['gains nothing, and keeps the engine’s default seccomp', { SecurityOpt: ['no-new-privileges'] }],
    ['cannot write its root', { ReadonlyRootfs: true }],
    ['shares no IPC', { IpcMode: 'private' }],
    ['does not see the host’s cgroups', { CgroupnsMode: 'private' }],
    ['does not know the host’s name servers', { Dns: ['127.0.0.1'] }],
    ['has so many processes', { PidsLimit: 64 }],
    ['has so much memory and no swap', { Memory: 1000, MemorySwap: 1000, OomKillDisable: false }],
    ['has so many cores', { NanoCpus: 1_500_000_000 }],
    [
      'has a /tmp of a size, where programs may run',
      { Tmpfs: { '/tmp': 'rw,nosuid,nodev,exec,mode=1777,size=3000,nr_inodes=5000' } },
    ],
    [
      'has a /dev/shm of a size, where they may not',
      { Tmpfs: { '/dev/shm': 'rw,nosuid,nodev,noexec,mode=1777,size=3000,nr_inodes=5000' } },
    ],
    ['keeps no log on the host', { LogConfig: { Type: 'none', Config: {} } }],
    ['has the engine’s init', { Init: true }],
    ['is not started again', { RestartPolicy: { Name: 'no' } }],
  ])('%s', (_, wanted) => expect(options.HostConfig).toMatchObject(wanted))

  test('limits each process', () => {
    expect(options.HostConfig.Ulimits).toEqual([
      { Name: 'fsize', Soft: 2000, Hard: 2000 },
      { Name: 'nofile', Soft: 100, Hard: 100 },
      { Name: 'core', Soft: 0, Hard: 0 },
    ])
  })
  test('mounts volumes as asked, and never copies the image’s files into them', () => {
    expect(options.HostConfig.Mounts).toMatchObject([
      { Type: 'volume', Source: 'tree', Target: '/work', ReadOnly: true, VolumeOptions: { NoCopy: true } },
      {
        Type: 'volume',
        Source: 'scratch',
        Target: '/scratch',
        ReadOnly: false,
        VolumeOptions: { NoCopy: true },
      },
    ])
  })
  test('carries the labels that it is found by', () => {
    expect(options.Labels).toEqual({
      'assay.run': 'run-1',
      'assay.kind': 'product',
      'assay.state': 'cafe',
      'assay.process': '12:345',
    })
  })
  test('only waits, as a user that is neither root nor the box’s', () => {
    expect(options).toMatchObject({ Entrypoint: ['sleep', '2147483647'], Cmd: [], User: '19999:19999' })
  })
  test('is named box, and runs no health check of its image', () => {
    expect(options).toMatchObject({ Hostname: 'box', Healthcheck: { Test: ['NONE'] } })
  })
  test('without the engine’s init its first process reaps by itself', () => {
    const withoutInit = boxCreateOptions(SPEC, OWNER, { ...FACTS, hasInit: false })
    expect(withoutInit).toMatchObject({
      Entrypoint: ['sh', '-c', 'while :; do sleep 2147483647; done'],
      HostConfig: { Init: false },
    })
  })
  test('has a tmpfs where it is asked for, as /tmp is', () => {
    const { HostConfig } = boxCreateOptions({ ...SPEC, tmpfs: ['/home/lena'] }, OWNER, FACTS)
    const tmpfs: Readonly<Record<string, string>> = HostConfig.Tmpfs
    expect(tmpfs['/home/lena']).toBe(tmpfs['/tmp'])
  })
  test('has a tmpfs where its image wants a volume, unless one of ours is there', () => {
    const { HostConfig } = boxCreateOptions(SPEC, OWNER, { ...FACTS, imageVolumes: ['/data', '/work'] })
    expect(Object.keys(HostConfig.Tmpfs)).toEqual(['/tmp', '/data', '/dev/shm'])
  })
  test('has a runtime only when one is asked for', () => {
    expect(options.HostConfig).not.toHaveProperty('Runtime')
    expect(boxCreateOptions({ ...SPEC, runtime: 'runsc' }, OWNER, FACTS).HostConfig).toMatchObject({
      Runtime: 'runsc',
    })
  })
  test('under gVisor has room for the threads of its kernel besides', () => {
    const pids = (runtime: string) =>
      boxCreateOptions({ ...SPEC, runtime }, OWNER, FACTS).HostConfig.PidsLimit
    expect([pids('runsc'), pids('runsc-kvm'), pids('crun')]).toEqual([320, 320, 64])
  })
  test('a loader has the volume, and could do nothing if it ran', () => {
    expect(loaderCreateOptions(SPEC, OWNER, 'tree')).toMatchObject({
      User: '19999:19999',
      HostConfig: { NetworkMode: 'none', CapDrop: ['ALL'], Mounts: [{ Source: 'tree', Target: '/v' }] },
    })
    expect(loaderCreateOptions(SPEC, OWNER).HostConfig.Mounts).toEqual([])
  })
})

test('an environment is a list in which values keep their equals signs', () => {
  expect(envList({ A: 'b=c', EMPTY: '' })).toEqual(['A=b=c', 'EMPTY='])
})

test.each([
  ['1000:1000', undefined, true],
  ['20000:20000', undefined, true],
  ['0:0', undefined, false],
  ['0:1000', undefined, false],
  ['1000:0', undefined, false],
  ['00:1', undefined, false],
  ['root', undefined, false],
  ['1000', undefined, false],
  ['-1:1', undefined, false],
  ['1000:1000\n', undefined, false],
  ['19999:19999', '19999:19999', false],
  ['19998:19999', '19999:19999', true],
])('a program as %j in a box that waits as %s: allowed is %s', (user, waiter, isAllowed) => {
  expect(userProblem(user, waiter) === undefined).toBe(isAllowed)
})

property.prop([fc.integer({ min: 1, max: 70_000 })])(
  'the first process never is the box’s user, or root',
  (uid) => {
    const waiter = waiterUser(`${uid}:${uid}`)
    expect(userProblem(waiter)).toBeUndefined()
    expect(userProblem(`${uid}:${uid}`, waiter)).toBeUndefined()
  },
)
