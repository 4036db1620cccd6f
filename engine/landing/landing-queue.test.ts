import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LandingQueue } from './landing-queue.ts'

let folder: string
let file: string
const { signal } = new AbortController()
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-queue-'))
  file = join(folder, 'main.sqlite')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Another process that waits for its turn, says so when it has it, and keeps it. */
async function other(run: string): Promise<ChildProcess & { turn: Promise<unknown> }> {
  const program = `
    import { LandingQueue } from ${JSON.stringify(join(import.meta.dirname, 'landing-queue.ts'))}
    const queue = new LandingQueue(${JSON.stringify(file)})
    const turn = queue.enter(${JSON.stringify(run)}, new AbortController().signal, () => process.stdout.write('waits\\n'))
    await turn
    process.stdout.write('turn\\n')
    setInterval(() => undefined, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => {
      if (text.toString().includes('turn')) resolve()
    })
  })
  await once(child.stdout, 'data')
  return Object.assign(child, { turn: said })
}

it('gives turns one after the other, in the order in which they came', async () => {
  const queue = new LandingQueue(file)
  const order: string[] = []
  let inside = 0
  await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (run) => {
      const leave = await queue.enter(run, signal, () => undefined)
      inside += 1
      expect(inside).toBe(1)
      await sleep(5)
      inside -= 1
      order.push(run)
      leave()
    }),
  )
  expect(order).toEqual(['a', 'b', 'c', 'd'])
  queue.close()
})

it('tells whose turn it is, and gives a ticket back when it is interrupted', async () => {
  const queue = new LandingQueue(file)
  const leave = await queue.enter('a', signal, () => undefined)
  const interrupt = new AbortController()
  let who = ''
  const waiting = queue.enter('b', interrupt.signal, (run) => (who = run))
  await sleep(20)
  interrupt.abort()
  await expect(waiting).rejects.toThrow()
  expect(who).toBe('a')
  leave()
  ;(await queue.enter('c', signal, () => undefined))()
  queue.close()
})

it('passes the turn of a process that was killed to the next, in another process too', async () => {
  const first = await other('first')
  const second = await other('second')
  const queue = new LandingQueue(file)
  let who = ''
  const third = queue.enter('third', signal, (run) => (who = run))
  first.kill('SIGKILL')
  await second.turn
  expect(who).toBe('first')
  second.kill('SIGKILL')
  ;(await third)()
  queue.close()
})
