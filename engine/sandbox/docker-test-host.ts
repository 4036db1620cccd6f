import Dockerode from 'dockerode'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ensureImage } from '../../images/ensure-image.ts'
import { isGvisor } from '../pure/sandbox/container-options.ts'
import { DockerSandbox } from './docker-sandbox.ts'

/** The state directory that docker tests share, so that images are built once a machine. */
export const TEST_STATE_DIR = process.env['ASSAY_TEST_STATE'] ?? join(homedir(), '.cache', 'assay-test')

/** For docker tests: a sandbox, and the image that has sh, node and python. */
export async function dockerTestHost(): Promise<{
  sandbox: DockerSandbox
  docker: Dockerode
  imageId: string
}> {
  mkdirSync(TEST_STATE_DIR, { recursive: true })
  const docker = new Dockerode()
  const { signal } = new AbortController()
  const { id } = await ensureImage({ docker, stateDir: TEST_STATE_DIR, signal }, 'worker')
  const imageId = isGvisor(process.env['ASSAY_TEST_RUNTIME']) ? await withReadableRuntimes(docker, id) : id
  return { sandbox: DockerSandbox.connect({ stateDir: TEST_STATE_DIR }), docker, imageId }
}

/** The image with a Node.js and a Python that may be read: see `specs/sandbox.md`, gVisor. */
async function withReadableRuntimes(docker: Dockerode, imageId: string): Promise<string> {
  const chmod = 'for name in node python3; do chmod 0755 "$(readlink -f "$(command -v $name)")"; done'
  const container = await docker.createContainer({ Image: imageId, Cmd: ['sh', '-c', chmod], User: '0:0' })
  try {
    await container.start()
    await container.wait()
    return ((await container.commit({ changes: 'USER 20000' })) as { Id: string }).Id
  } finally {
    await container.remove({ force: true })
  }
}

/** Has another process make a box and a volume of the run, and kills it with SIGKILL. */
export async function leaveOrphans(stateDir: string, imageId: string, runId: string): Promise<void> {
  const program = `
    const { DockerSandbox } = await import(${JSON.stringify(import.meta.resolve('./docker-sandbox.ts'))})
    const [stateDir, imageId, runId] = process.argv.slice(1)
    const sandbox = DockerSandbox.connect({ stateDir })
    const { signal } = new AbortController()
    const volume = await sandbox.createVolume({ runId, kind: 'worker', imageId, layers: [] }, signal)
    const limits = { memoryBytes: 2 ** 26, cpus: 1, processes: 16, fileSizeBytes: 2 ** 20, openFiles: 64,
      tmpBytes: 2 ** 20, diskBytes: 2 ** 20, inodes: 1000, outputBytes: 2 ** 10 }
    const mounts = [{ volume, path: '/work', readOnly: false }]
    const spec = { kind: 'worker', imageId, runId, limits, mounts, user: '1000:1000', workdir: '/', env: {} }
    await sandbox.startBox(spec, signal)
    console.log('made')
    setInterval(() => undefined, 1000)`
  const args = ['--input-type=module', '-e', program, stateDir, imageId, runId]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error('the maker of orphans ended by itself'))),
  ])
  child.kill('SIGKILL')
  await exited
}
