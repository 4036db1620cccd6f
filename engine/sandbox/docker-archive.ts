import type Dockerode from 'dockerode'
import { addAbortSignal, type Readable } from 'node:stream'
import { Fault } from '../../specs/fault.ts'
import { engineStatus } from '../pure/sandbox/engine-fault.ts'
import { asReadable, engineCall } from './engine-call.ts'

/**
 * A path of a container that does not run, as a tar stream: a folder's entries are named from the folder (`./`,
 * `./a`), a file's is its own name; links stay links.
 * @throws Fault `config/path-unknown` when there is no such path.
 */
export async function readArchive(
  container: Dockerode.Container,
  path: string,
  signal: AbortSignal,
): Promise<Readable> {
  if (!path.startsWith('/'))
    throw new Fault('bug/archive-path', `${JSON.stringify(path)} is not an absolute path`)
  const folder = path.endsWith('/') ? `${path}.` : `${path}/.`
  const stream = await getArchive(container, folder, signal).catch(async (error: unknown) => {
    if (isNotFolder(error)) return getArchive(container, path, signal)
    throw error
  })
  return addAbortSignal(signal, stream)
}

async function getArchive(
  container: Dockerode.Container,
  path: string,
  signal: AbortSignal,
): Promise<Readable> {
  try {
    // The call's own deadline must not end the stream, so only the caller's signal is passed on.
    const stream = await engineCall(
      'container.archive',
      () => container.getArchive({ path, abortSignal: signal }),
      {
        signal,
      },
    )
    return asReadable('container.archive', stream)
  } catch (error) {
    if (engineStatus(error) === 404 && /could not find the file|no such file/i.test(String(error))) {
      throw new Fault('config/path-unknown', `${path}: no such path`, { cause: error })
    }
    throw error
  }
}

function isNotFolder(error: unknown): boolean {
  return error instanceof Fault && /not a directory/i.test(error.message)
}
