import { expect, test } from 'vitest'
import { Fault } from '../specs/fault.ts'
import { engineCall, isConflict, isNotFound } from './engine-call.ts'

const never = new AbortController().signal
const silent = () => new Promise<never>(() => undefined)
const answer = (more: object) => () => Promise.reject(Object.assign(new Error('said'), more))

test('an engine that is silent is given up, and is not a bug of ours', async () => {
  await expect(engineCall(never, silent, 20)).rejects.toMatchObject({
    code: 'infra/engine-unreachable',
    message: expect.stringContaining('no answer within 20 ms') as string,
  })
})

test('an interruption is heard while the engine is silent', async () => {
  const reason = new DOMException('interrupted', 'AbortError')
  const stop = new AbortController()
  const call = engineCall(stop.signal, silent, Infinity)
  stop.abort(reason)
  await expect(call).rejects.toBe(reason)
})

test.each([
  ['its disk is full', { statusCode: 500 }, 'infra/engine'],
  ['there is no such thing', { statusCode: 404 }, 'infra/engine'],
  ['nobody listens', { code: 'ECONNREFUSED' }, 'infra/engine-unreachable'],
])('that %s is a fault of the infrastructure', async (_, more, code) => {
  await expect(engineCall(never, answer(more))).rejects.toMatchObject({ code })
})

test('what did not come from the engine passes through', async () => {
  await expect(engineCall(never, () => Promise.reject(new TypeError('x')))).rejects.toBeInstanceOf(TypeError)
})

test('a missing thing and a conflict are told from the fault', async () => {
  const of = (statusCode: number) =>
    engineCall(never, answer({ statusCode })).catch((error: unknown) => error)
  expect(isNotFound(await of(404))).toBe(true)
  expect(isNotFound(await of(409))).toBe(false)
  expect(isConflict(await of(409))).toBe(true)
  expect(isNotFound(new Fault('infra/engine', 'x'))).toBe(false)
})
