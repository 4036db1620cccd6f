import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { sweepLeftovers } from './workshop.ts'

let folder: string
let server: Server
let dockerHost: string
const sockets = new Set<Socket>()

/** An engine that accepts and says nothing. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-workshop-'))
  const path = join(folder, 'silent.sock')
  dockerHost = `unix://${path}`
  server = createServer((socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(path, resolve))
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  server.close()
  rmSync(folder, { recursive: true })
})
const sweep = (signal?: AbortSignal) =>
  sweepLeftovers({
    stateRoot: join(folder, 'state'),
    dockerHost,
    ...(signal === undefined ? {} : { signal }),
  })

it('gives up soon on an engine that says nothing', async () => {
  mkdirSync(join(folder, 'state'))
  const startedAtMs = performance.now()
  await sweep()
  expect(performance.now() - startedAtMs).toBeLessThan(10_000)
  expect(sockets.size).toBeGreaterThan(0)
}, 15_000)

it('hears an interruption while the engine says nothing', async () => {
  mkdirSync(join(folder, 'state'))
  const stop = new AbortController()
  const sweeping = sweep(stop.signal)
  setTimeout(() => stop.abort(new DOMException('interrupted', 'AbortError')), 50)
  const startedAtMs = performance.now()
  await expect(sweeping).rejects.toMatchObject({ name: 'AbortError' })
  expect(performance.now() - startedAtMs).toBeLessThan(2500)
})

it('asks nothing and makes nothing where there is no state directory', async () => {
  await sweep()
  expect(sockets.size).toBe(0)
  expect(existsSync(join(folder, 'state'))).toBe(false)
})
