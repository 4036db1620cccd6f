import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DockerSandbox } from './docker-sandbox.ts'
import { dockerTestHost, leaveOrphans } from './docker-test-host.ts'
import { describeSandbox } from './sandbox.contract.ts'
import { shellArgv } from './sandbox-probes.ts'

describeSandbox('the Docker sandbox', async () => {
  const { imageId } = await dockerTestHost()
  // A state directory of its own: other tests' orphans are not this one's.
  const stateDir = mkdtempSync(join(tmpdir(), 'assay-sandbox-'))
  return {
    sandbox: DockerSandbox.connect({ stateDir }),
    imageId,
    argv: shellArgv,
    leaveOrphans: (runId: string) => leaveOrphans(stateDir, imageId, runId),
  }
})
