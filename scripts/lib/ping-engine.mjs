/** Ends with 0 if a container engine answers at DOCKER_HOST or at a usual socket. Runs on any Node.js from 14 on. */
import { existsSync } from 'node:fs'
import http from 'node:http'

const { DOCKER_HOST, XDG_RUNTIME_DIR, HOME } = process.env
const sockets = [
  '/var/run/docker.sock',
  `${XDG_RUNTIME_DIR}/docker.sock`,
  `${XDG_RUNTIME_DIR}/podman/podman.sock`,
  `${HOME}/.docker/run/docker.sock`,
]

function target() {
  if (!DOCKER_HOST) return { socketPath: sockets.find((path) => existsSync(path)) ?? sockets[0] }
  if (DOCKER_HOST.startsWith('unix://')) return { socketPath: DOCKER_HOST.slice('unix://'.length) }
  const { hostname, port } = new URL(DOCKER_HOST.replace(/^tcp:/, 'http:'))
  return { host: hostname, port: port || 2375 }
}

const request = http.get({ ...target(), path: '/_ping', timeout: 5000 }, (response) => {
  response.resume()
  if (response.statusCode !== 200) fail(`it answered ${response.statusCode}`)
})
request.on('timeout', () => request.destroy(new Error('it does not answer within 5 s')))
request.on('error', (error) => fail(error.message))

function fail(reason) {
  console.error(reason)
  process.exitCode = 1
}
