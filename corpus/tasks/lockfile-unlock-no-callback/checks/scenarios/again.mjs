// lock, unlock without a callback, and lock again in the same process by input.by
import path from 'node:path'
import { gone, goneBlocking, settle, there, pause } from './lib/time.mjs'

export default async ({ load, tmp, input }) => {
  const lockFile = await load('.')
  const p = path.join(tmp, 'a.lock')
  const lock = opts => new Promise(done => lockFile.lock(p, opts, er => done(er ? String(er.code) : 'locked')))
  const once = async () => {
    if (input.by === 'waiting') {
      const waiting = lock({ wait: 2500, pollPeriod: 20 })
      await pause(50)
      lockFile.unlock(p)
      return await waiting
    }
    lockFile.unlock(p)
    if (input.blocking) goneBlocking(p); else await gone(p)
    if (input.by === 'lock') return await lock({})
    try { lockFile.lockSync(p); return 'locked' } catch (er) { return String(er.code) }
  }
  if (input.first === 'lock') await lock({}); else lockFile.lockSync(p)
  const results = []
  for (let i = 0; i < (input.rounds || 1); i++) { results.push(await once()); await settle() }
  return { results, there: there(p), held: lockFile.checkSync(p) }
}
