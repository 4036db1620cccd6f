import Dockerode from 'dockerode'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ImageDeps } from '../../images/deps.ts'
import { ensureImage } from '../../images/ensure-image.ts'
import { isGvisor } from '../pure/sandbox/container-options.ts'
import { DockerSandbox } from './docker-sandbox.ts'

/** The state directory that docker tests share, so that images are built once a machine. */
export const TEST_STATE_DIR = process.env['ASSAY_TEST_STATE'] ?? join(homedir(), '.cache', 'assay-test')

/** What docker tests give to `images/`: its images suit the runtime that their boxes have. */
export const testImages = (runtime = process.env['ASSAY_TEST_RUNTIME']): ImageDeps => ({
  docker: new Dockerode(),
  stateDir: TEST_STATE_DIR,
  signal: new AbortController().signal,
  readableRuntimes: isGvisor(runtime),
})

/** For docker tests: a sandbox, and the image that has sh, node and python. */
export async function dockerTestHost(runtime?: string): Promise<{
  sandbox: DockerSandbox
  docker: Dockerode
  imageId: string
}> {
  mkdirSync(TEST_STATE_DIR, { recursive: true })
  const images = testImages(runtime)
  const { id } = await ensureImage(images, 'worker')
  return { sandbox: DockerSandbox.connect({ stateDir: TEST_STATE_DIR }), docker: images.docker, imageId: id }
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
