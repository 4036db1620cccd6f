import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openWorkshop } from './workshop.ts'

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
  server.close()
  rmSync(folder, { recursive: true })
})
const open = (signal?: AbortSignal) =>
  openWorkshop({ stateRoot: join(folder, 'state'), dockerHost, ...(signal === undefined ? {} : { signal }) })

it('opens soon beside an engine that says nothing', async () => {
  const startedAtMs = performance.now()
  expect((await open()).state.root).toBe(join(folder, 'state'))
  expect(performance.now() - startedAtMs).toBeLessThan(10_000)
}, 15_000)

it('hears an interruption while the engine says nothing', async () => {
  const stop = new AbortController()
  const opening = open(stop.signal)
  setTimeout(() => stop.abort(new DOMException('interrupted', 'AbortError')), 50)
  const startedAtMs = performance.now()
  await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
  expect(performance.now() - startedAtMs).toBeLessThan(2500)
})
