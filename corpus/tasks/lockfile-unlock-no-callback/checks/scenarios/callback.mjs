// unlock with a callback: how often it is called, when, and with what
import path from 'node:path'
import { pause, settle, there } from './lib/time.mjs'

export default async ({ load, tmp, input }) => {
  const lockFile = await load('.')
  const p = path.join(tmp, input.name)
  if (input.lock) lockFile.lockSync(p)
  const calls = []
  let back = false
  const cb = (...args) => { calls.push({ afterReturn: back, error: args[0] != null, fileThere: there(p) }) }
  if (input.bareFirst) lockFile.unlock(p)
  const returned = []
  for (let i = 0; i < (input.times || 1); i++) returned.push(typeof lockFile.unlock(p, cb))
  if (input.bareLast) lockFile.unlock(p)
  back = true
  for (let i = 0; i < 200 && calls.length < returned.length; i++) await pause(10)
  await settle()
  return input.report === 'returned' ? returned : calls
}
