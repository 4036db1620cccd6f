import { Fault } from '../../../specs/fault.ts'

export type EngineAddress =
  { readonly kind: 'unix'; readonly path: string } | { readonly kind: 'tcp'; readonly url: string }

const DEFAULT_SOCKET = '/var/run/docker.sock'

/**
 * Where the engine is.
 * @param dockerHost what the user set (option or DOCKER_HOST); it wins.
 * @param runtimeDir XDG_RUNTIME_DIR, where rootless engines keep their sockets.
 * @param exists whether a socket is there. Nothing there: the default, so that the fault names it.
 * @throws Fault `config/docker-host` for an address of another kind.
 */
export function engineAddress(
  dockerHost: string | undefined,
  runtimeDir: string | undefined,
  homeDir: string | undefined,
  exists: (path: string) => boolean,
): EngineAddress {
  if (dockerHost !== undefined && dockerHost !== '') return parseDockerHost(dockerHost)
  const candidates = [
    DEFAULT_SOCKET,
    ...(runtimeDir ? [`${runtimeDir}/docker.sock`, `${runtimeDir}/podman/podman.sock`] : []),
    ...(homeDir ? [`${homeDir}/.docker/run/docker.sock`] : []),
  ]
  return { kind: 'unix', path: candidates.find(exists) ?? DEFAULT_SOCKET }
}

function parseDockerHost(text: string): EngineAddress {
  const path = /^unix:\/\/(\/.+)$/.exec(text)?.[1]
  if (path !== undefined) return { kind: 'unix', path }
  if (/^(tcp|http|https):\/\/[^/\s]+\/?$/.test(text)) return { kind: 'tcp', url: text }
  throw new Fault(
    'config/docker-host',
    `the address of the container engine (--docker-host or DOCKER_HOST) ${JSON.stringify(text)}: expected unix:///path or tcp://host:port`,
  )
}
