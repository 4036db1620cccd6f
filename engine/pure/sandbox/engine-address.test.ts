import { expect, test } from 'vitest'
import { engineAddress } from './engine-address.ts'

const unix = (path: string) => ({ kind: 'unix', path })
test.each<[string, string | undefined, string[], object]>([
  ['DOCKER_HOST names a socket', 'unix:///x/y.sock', ['/var/run/docker.sock'], unix('/x/y.sock')],
  ['DOCKER_HOST names a host', 'tcp://10.0.0.1:2375', [], { kind: 'tcp', url: 'tcp://10.0.0.1:2375' }],
  [
    'nothing is set: the usual socket',
    undefined,
    ['/var/run/docker.sock', '/run/u/docker.sock'],
    unix('/var/run/docker.sock'),
  ],
  ['an empty DOCKER_HOST is none', '', ['/var/run/docker.sock'], unix('/var/run/docker.sock')],
  ['only a rootless engine is there', undefined, ['/run/u/docker.sock'], unix('/run/u/docker.sock')],
  ['only Podman is there', undefined, ['/run/u/podman/podman.sock'], unix('/run/u/podman/podman.sock')],
  [
    'only Docker Desktop is there',
    undefined,
    ['/home/a/.docker/run/docker.sock'],
    unix('/home/a/.docker/run/docker.sock'),
  ],
  [
    'nothing is there: the usual one, so that the fault names it',
    undefined,
    [],
    unix('/var/run/docker.sock'),
  ],
])('%s', (_, dockerHost, there, address) => {
  expect(engineAddress(dockerHost, '/run/u', '/home/a', (path) => there.includes(path))).toEqual(address)
})

test.each(['ssh://me@host', 'npipe:////./pipe/x', 'unix://relative', 'tcp://', 'nonsense'])(
  'DOCKER_HOST %j is refused',
  (dockerHost) => {
    expect(() => engineAddress(dockerHost, undefined, undefined, () => true)).toThrow(
      expect.objectContaining({ code: 'config/docker-host' }) as Error,
    )
  },
)
