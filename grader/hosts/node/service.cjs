'use strict'
// A service check: the product's server in a process of its own; the scenario that talks to it runs in the host's.
const { spawn } = require('node:child_process')
const http = require('node:http')
const net = require('node:net')
const { track } = require('./processes.cjs')
const { environment, fill, layFiles } = require('./places.cjs')

const LOOK_EVERY_MS = 20

/**
 * Starts the server and waits until it is ready.
 * @returns {Promise<{port: number, url: string}>}
 * @throws Error when it ended or was not ready in time.
 */
async function startService(job, places) {
  const { service } = job
  layFiles(service.files, places)
  const [program, ...args] = service.argv.map((arg) => fill(arg, places))
  const cwd = service.cwd === 'tree' ? places.tree : places.tmp
  // What it prints goes where a product's prints go: to this process's standard error.
  const child = spawn(program, args, {
    cwd,
    env: environment(service.env, places),
    stdio: ['ignore', 2, 2],
    detached: true,
  })
  track(child)
  let ended
  child.on('error', (error) => (ended = error.message))
  child.on('exit', (code, signal) => (ended = `it ended with ${code ?? signal}`))
  const { port, path, timeoutMs } = service.ready
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    if (ended !== undefined) throw new Error(`the server was never ready: ${ended}`)
    if (await takesConnection(port)) {
      if (path === undefined || (await answers(port, path))) return { port, url: `http://127.0.0.1:${port}` }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  throw new Error(`the server was not ready within ${timeoutMs} ms`)
}

function takesConnection(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1' })
    const end = (ready) => {
      socket.destroy()
      resolve(ready)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}

function answers(port, path) {
  return new Promise((resolve) => {
    const request = http.get({ port, host: '127.0.0.1', path, timeout: 1000, agent: false }, (response) => {
      response.destroy()
      resolve(response.statusCode < 500)
    })
    request.on('error', () => resolve(false)).on('timeout', () => request.destroy())
  })
}

module.exports = { startService }
