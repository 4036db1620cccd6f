// unlock without a callback. input.list: names; each is "lock" (locked by lockSync), "file" (made by other means), "none";
// input.names: the same name may stand there more than once. input.spaced: one after another, else at the same time
import fs from 'node:fs'
import path from 'node:path'
import { gone, settle } from './lib/time.mjs'

export default async ({ load, tmp, input }) => {
  const lockFile = input.as === 'import' ? (await load('.', { as: 'import' })).default : await load('.')
  const unlock = input.detached ? lockFile.unlock : p => lockFile.unlock(p)
  const full = name => path.join(tmp, name)
  for (const d of input.folders || []) fs.mkdirSync(full(d))
  for (const f of input.files || []) fs.writeFileSync(full(f), 'x')
  for (const l of input.locks || []) lockFile.lockSync(full(l))
  const returned = []
  for (const name of input.unlock) {
    returned.push(typeof unlock(full(name)))
    if (input.spaced) { await gone(full(name)); await settle() }
  }
  await gone(...input.unlock.map(full))
  await settle()
  return input.report === 'returned' ? returned : { left: fs.readdirSync(tmp).sort() }
}
