import fs from 'node:fs'

export const pause = ms => new Promise(done => setTimeout(done, ms))
export const there = path => fs.existsSync(path)

// waits until there is no file at any of the paths, at most 3 s
export async function gone(...paths) {
  for (let i = 0; i < 300 && paths.some(there); i++) await pause(10)
}

// the same without giving way to anything else in this process
export function goneBlocking(path) {
  const end = Date.now() + 3000
  while (there(path) && Date.now() < end) ;
}

// time for whatever comes later: errors thrown in callbacks, second calls
export const settle = () => pause(60)
