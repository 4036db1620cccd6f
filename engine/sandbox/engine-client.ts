import Dockerode from 'dockerode'
import { existsSync } from 'node:fs'
import { Agent } from 'node:http'
import { engineAddress, type EngineAddress } from '../pure/sandbox/engine-address.ts'

/**
 * A client of the container engine; nothing is asked of it yet.
 * @param dockerHost `unix:///path` or `tcp://host:port`; else DOCKER_HOST, else the usual sockets.
 */
export function engineClient(dockerHost?: string): Dockerode {
  return clientOf(addressOf(dockerHost))
}

/** Where {@link engineClient} looks for the engine, for people. */
export function engineAddressText(dockerHost?: string): string {
  const address = addressOf(dockerHost)
  return address.kind === 'unix' ? address.path : address.url
}

function addressOf(dockerHost: string | undefined): EngineAddress {
  const { DOCKER_HOST, XDG_RUNTIME_DIR, HOME } = process.env
  return engineAddress(dockerHost ?? DOCKER_HOST, XDG_RUNTIME_DIR, HOME, existsSync)
}

function clientOf(address: EngineAddress): Dockerode {
  // The client takes its defaults from DOCKER_HOST; what we decided has to win over them.
  if (address.kind === 'tcp')
    return new Dockerode(address.url === process.env['DOCKER_HOST'] ? {} : tcpOptions(address.url))
  const agent = new Agent({ keepAlive: true })
  const options = { socketPath: address.path, host: undefined, port: undefined, protocol: 'http', agent }
  return new Dockerode(options as Dockerode.DockerOptions)
}

function tcpOptions(url: string): Dockerode.DockerOptions {
  const { protocol, hostname, port } = new URL(url)
  const secure = protocol === 'https:' || port === '2376'
  return { protocol: secure ? 'https' : 'http', host: hostname, port: port || (secure ? 2376 : 2375) }
}
