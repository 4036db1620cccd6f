import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withExclusive } from './exclusive.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-exclusive-'))
})
afterAll(() => rm(folder, { recursive: true }))
const never = new AbortController().signal

test('one at a time, and each gets its turn', async () => {
  let inside = 0
  let most = 0
  const work = async () => {
    inside += 1
    most = Math.max(most, inside)
    await delay(20)
    inside -= 1
  }
  await Promise.all([1, 2, 3].map(() => withExclusive(join(folder, 'turns'), never, work)))
  expect(most).toBe(1)
})

test('it is free again after a failure', async () => {
  const path = join(folder, 'failure')
  await expect(withExclusive(path, never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withExclusive(path, never, () => Promise.resolve('yes'))).toBe('yes')
})

test('waiting ends when the signal says so', async () => {
  const path = join(folder, 'abort')
  const aborting = AbortSignal.timeout(150)
  await withExclusive(path, never, async () => {
    await expect(withExclusive(path, aborting, () => Promise.resolve())).rejects.toThrow(/abort/i)
  })
})

test('it is free again when the process that held it was killed', async () => {
  const path = join(folder, 'killed')
  const holder = `
    import { withExclusive } from ${JSON.stringify(join(import.meta.dirname, 'exclusive.ts'))}
    await withExclusive(${JSON.stringify(path)}, new AbortController().signal, () => {
      process.stdout.write('held')
      return new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  await expect(withExclusive(path, AbortSignal.timeout(200), () => Promise.resolve())).rejects.toThrow()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await withExclusive(path, AbortSignal.timeout(2000), () => Promise.resolve('mine'))).toBe('mine')
})
