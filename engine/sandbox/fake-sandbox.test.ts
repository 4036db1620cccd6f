import { fakeEngine, FakeSandbox } from './fake-sandbox.ts'
import { describeSandbox } from './sandbox.contract.ts'
import { fakeArgv, probePrograms } from './sandbox-probes.ts'

const imageId = `sha256:${'1'.repeat(64)}`

describeSandbox('the fake sandbox', () => {
  const engine = fakeEngine()
  const options = {
    programs: probePrograms(),
    images: { [imageId]: { '/etc/apt/sources.list': '' } },
    engine,
  }
  const sandbox = new FakeSandbox(options)
  const leaveOrphans = async (runId: string) => {
    const dead = new FakeSandbox({ ...options, process: '2:2' })
    const { signal } = new AbortController()
    const volume = await dead.createVolume({ runId, kind: 'worker', imageId, layers: [] }, signal)
    await dead.startBox(
      {
        kind: 'worker',
        imageId,
        runId,
        limits: {
          memoryBytes: 1,
          cpus: 1,
          processes: 1,
          fileSizeBytes: 1,
          openFiles: 1,
          tmpBytes: 1,
          diskBytes: 1,
          inodes: 1,
          outputBytes: 1,
        },
        mounts: [{ volume, path: '/work', readOnly: false }],
        user: '1000:1000',
        workdir: '/',
        env: {},
      },
      signal,
    )
    engine.liveProcesses.delete('2:2')
  }
  return Promise.resolve({ sandbox, imageId, argv: fakeArgv, leaveOrphans })
})
