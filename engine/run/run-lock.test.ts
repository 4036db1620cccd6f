import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { holdAlone } from './run-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('lets one work at a run at a time, and says which process it is', () => {
  const letGo = holdAlone(folder, 'run r1')
  expect(() => holdAlone(folder, 'run r1')).toThrow(`run r1: process ${process.pid} is at work on it`)
  letGo()
  holdAlone(folder, 'run r1')()
})

it('is free again when the process that held it was killed', async () => {
  const program = `
    import { holdAlone } from ${JSON.stringify(join(import.meta.dirname, 'run-lock.ts'))}
    holdAlone(${JSON.stringify(folder)}, 'run r1')
    process.stdout.write('held')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  expect(() => holdAlone(folder, 'run r1')).toThrow(`process ${child.pid} is at work`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  holdAlone(folder, 'run r1')()
})
