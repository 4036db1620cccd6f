import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import { DockerSandbox } from './docker-sandbox.ts'
import { dockerTestHost, leaveOrphans } from './docker-test-host.ts'
import { describeSandbox } from './sandbox.contract.ts'
import { shellArgv } from './sandbox-probes.ts'
import { hasRuntime } from './test-runtime.ts'

// A state directory of its own: other tests' orphans are not this one's.
const stateDir = mkdtempSync(join(tmpdir(), 'assay-sandbox-'))
afterAll(() => rmSync(stateDir, { recursive: true }))

const connect = async (runtime?: string) => {
  const { imageId } = await dockerTestHost(runtime)
  return {
    sandbox: DockerSandbox.connect({ stateDir }),
    imageId,
    argv: shellArgv,
    leaveOrphans: (runId: string) => leaveOrphans(stateDir, imageId, runId),
  }
}

describeSandbox('the Docker sandbox', () => connect())

describe.skipIf(!(await hasRuntime('runsc')))('with gVisor', () => {
  describeSandbox('the Docker sandbox', async () => ({ ...(await connect('runsc')), runtime: 'runsc' }))
})
