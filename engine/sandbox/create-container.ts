import type Dockerode from 'dockerode'
import { randomBytes } from 'node:crypto'
import type { BoxKind } from '../../specs/sandbox.ts'
import { engineCall } from './engine-call.ts'
import { removeContainer } from './remove-container.ts'

/**
 * Creates a container under a name of ours, so that it can be removed even when the engine's answer got lost.
 * Not abortable: an aborted call may still create.
 */
export async function createContainer(
  docker: Dockerode,
  kind: BoxKind,
  body: object,
): Promise<Dockerode.Container> {
  const name = `assay-${kind}-${randomBytes(12).toString('hex')}`
  // The client would put the body into the query string too unless told which is which.
  const options = { _query: { name }, _body: body } as unknown as Dockerode.ContainerCreateOptions
  try {
    return await engineCall('container.create', () => docker.createContainer(options))
  } catch (error) {
    await removeContainer(docker.getContainer(name)).catch(() => undefined)
    throw error
  }
}
