import { expect, test } from 'vitest'
import { worstOf } from '../pure/sandbox/host-verdicts.ts'
import { dockerTestHost, TEST_STATE_DIR } from './docker-test-host.ts'
import { checkHost } from './host-checks.ts'

const { signal } = new AbortController()

test('on this host the limits really limit', async () => {
  const { imageId } = await dockerTestHost()
  const checks = await checkHost({ stateDir: TEST_STATE_DIR, imageId }, signal)
  const wanted = ['engine', 'engine API', 'cgroups', 'memory limit', 'process limit']
  expect(checks.filter(({ name }) => wanted.includes(name)).map(({ name, state }) => [name, state])).toEqual(
    wanted.map((name) => [name, 'ok']),
  )
})

test('without an image the limits are not tried, and that is said', async () => {
  const checks = await checkHost({ stateDir: TEST_STATE_DIR }, signal)
  expect(checks.find(({ name }) => name === 'memory limit')).toMatchObject({ state: 'warn' })
})

test('an engine that is not there fails the check, not the caller', async () => {
  const dockerHost = 'unix:///nowhere/engine.sock'
  const checks = await checkHost({ stateDir: TEST_STATE_DIR, dockerHost }, signal)
  expect(worstOf(checks)).toBe('fail')
  expect(checks[0]).toMatchObject({
    name: 'engine',
    state: 'fail',
    saw: expect.stringContaining('/nowhere') as string,
  })
})
