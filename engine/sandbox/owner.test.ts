import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { currentOwner, isProcessAlive } from './owner.ts'

test('this process is alive, and only with its own start', () => {
  const { process: maker } = currentOwner(tmpdir())
  expect(isProcessAlive(maker)).toBe(true)
  expect(isProcessAlive(`${process.pid}:1`)).toBe(false)
})

test.each(['', 'x', '1', ':', '99999999999:1', '-1:5', '4194999:7'])('%j is no living maker', (maker) => {
  expect(isProcessAlive(maker)).toBe(false)
})

test('a process that ended is not alive', async () => {
  const program = `import(${JSON.stringify(import.meta.resolve('./owner.ts'))}).then((m) => console.log(m.currentOwner('/').process))`
  const other = spawn(process.execPath, ['-e', `${program}; setInterval(() => 0, 1000)`])
  const [line] = (await once(other.stdout, 'data')) as [Buffer]
  const maker = line.toString().trim()
  expect(isProcessAlive(maker)).toBe(true)
  other.kill('SIGKILL')
  await once(other, 'exit')
  expect(isProcessAlive(maker)).toBe(false)
})

test('a state directory is the same by every path to it, and not another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-owner-'))
  const link = join(folder, 'link')
  symlinkSync(folder, link)
  expect(currentOwner(link).state).toBe(currentOwner(folder).state)
  expect(currentOwner(folder).state).not.toBe(currentOwner(tmpdir()).state)
  rmSync(folder, { recursive: true })
})
