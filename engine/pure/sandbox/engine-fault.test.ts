import { describe, expect, test } from 'vitest'
import { Fault } from '../../../specs/fault.ts'
import { engineStatus, faultOfEngineError, isAlreadyGone } from './engine-fault.ts'

const answer = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode })
const broken = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

test.each([
  ['no socket', broken('ENOENT'), 'infra/engine-unreachable'],
  ['nobody listens', broken('ECONNREFUSED'), 'infra/engine-unreachable'],
  ['the socket is not ours to use', broken('EACCES'), 'infra/engine-unreachable'],
  ['the engine died while it answered', broken('ECONNRESET'), 'infra/engine-unreachable'],
  ['the image is not there', answer(404, 'No such image: sha256:12'), 'config/image-unknown'],
  ['the runtime is not there', answer(400, 'Unknown runtime specified runsc'), 'config/runtime-unknown'],
  ['the container is gone', answer(404, 'No such container: 12'), 'infra/box-lost'],
  ['the program’s container is gone', answer(404, 'No such exec instance: 12'), 'infra/box-lost'],
  ['the container stopped', answer(409, 'Container 12ab is not running'), 'infra/box-lost'],
  ['the engine had an accident', answer(500, 'driver failed'), 'infra/engine'],
  ['something else', new Error('odd'), 'infra/engine'],
  ['something that is no error', 'odd', 'infra/engine'],
])('%s', (_, error, code) => {
  expect(faultOfEngineError('container.start', error).code).toBe(code)
})

test('the message names the call, on one line of bounded length', () => {
  const { message } = faultOfEngineError('container.start', answer(500, `a\nb\u001b[31m${'x'.repeat(2000)}`))
  expect(message).toMatch(/^container\.start: a b \[31mx+$/)
  expect(message.length).toBeLessThan(600)
})

test('a fault stays itself, and the cause is kept', () => {
  const fault = new Fault('infra/box-lost', 'gone')
  expect(faultOfEngineError('x', fault)).toBe(fault)
  const error = answer(500, 'no')
  expect(faultOfEngineError('x', error).cause).toBe(error)
})

describe('removing', () => {
  test.each([
    ['what is gone', answer(404, 'No such container'), true],
    ['what is going', answer(409, 'removal of container 12 is already in progress'), true],
    ['what is in use', answer(409, 'volume is in use'), false],
    ['what the engine fails to', answer(500, 'busy'), false],
  ])('%s is done: %s', (_, error, isDone) => expect(isAlreadyGone(error)).toBe(isDone))

  test('the status is found behind a fault', () => {
    expect(engineStatus(faultOfEngineError('x', answer(409, 'no')))).toBe(409)
    expect(engineStatus(broken('ENOENT'))).toBeUndefined()
  })
})
