// the other functions, with callbacks and without
import fs from 'node:fs'
import path from 'node:path'
import { there, pause } from './lib/time.mjs'

export default async ({ load, tmp, input }) => {
  const L = await load('.')
  const p = path.join(tmp, 'a.lock')
  const call = (f, ...args) => new Promise(done => L[f](...args, (er, v) => done({ error: er ? String(er.code || er.message) : null, value: v ?? null })))
  const sync = (f, ...args) => { try { const v = L[f](...args); return { value: v ?? null } } catch (er) { return { error: String(er.code || er.message) } } }
  switch (input.what) {
    case 'lock': return [await call('lock', p), there(p), await call('lock', p), await call('check', p), await call('lock', path.join(tmp, 'no/a.lock'))]
    case 'sync': return [sync('checkSync', p), sync('lockSync', p), there(p), sync('lockSync', p), sync('checkSync', p), sync('unlockSync', p), there(p), sync('unlockSync', p), sync('checkSync', p), sync('unlockSync', path.join(tmp, 'no/a.lock'))]
    case 'stale': fs.writeFileSync(p, ''); await pause(120); return [sync('checkSync', p, { stale: 50 }), await call('check', p, { stale: 50 }), await call('lock', p, { stale: 50 }), fs.readdirSync(tmp), sync('checkSync', p, { stale: 5000 })]
    case 'stale-sync': fs.writeFileSync(p, ''); await pause(120); return [sync('lockSync', p, { stale: 50 }), there(p), sync('lockSync', p, { stale: 5000 })]
    case 'retries': { fs.writeFileSync(p, ''); setTimeout(() => fs.unlinkSync(p), 60); return [await call('lock', p, { retries: 50, retryWait: 20 }), there(p), await call('lock', p, { retries: 2, retryWait: 5 })] }
    case 'wait': { L.lockSync(p); setTimeout(() => L.unlock(p, () => {}), 60); return [await call('lock', p, { wait: 2500, pollPeriod: 20 }), there(p), sync('lockSync', p, { wait: 5 })] }
    case 'names': return Object.keys(L).sort()
  }
}
