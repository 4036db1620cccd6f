import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { DockerSandbox } from './docker-sandbox.ts'
import { dockerTestHost, leaveOrphans } from './docker-test-host.ts'
import { describeSandbox } from './sandbox.contract.ts'
import { shellArgv } from './sandbox-probes.ts'

// A state directory of its own: other tests' orphans are not this one's.
const stateDir = mkdtempSync(join(tmpdir(), 'assay-sandbox-'))
afterAll(() => rmSync(stateDir, { recursive: true }))

describeSandbox('the Docker sandbox', async () => {
  const { imageId } = await dockerTestHost()
  return {
    sandbox: DockerSandbox.connect({ stateDir }),
    imageId,
    argv: shellArgv,
    leaveOrphans: (runId: string) => leaveOrphans(stateDir, imageId, runId),
  }
})
