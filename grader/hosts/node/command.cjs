'use strict'
// A command check: one program of the product from start to end. Nothing of the product runs in this process.
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { endAll, track } = require('./processes.cjs')
const { environment, fill, layFiles } = require('./places.cjs')

const STREAM_BYTES = 1_000_000
const FILE_BYTES = 1_000_000
const DIRECTORY_ENTRIES = 1000
/** How long streams may stay open after the program ended: something that it left behind still holds them. */
const LINGER_MS = 200

/**
 * @param terminal of the command, where it is to have one.
 * @returns {Promise<{kind: string, body: object}>} a frame.
 */
async function runCommand(job, places, terminal) {
  const { command } = job
  layFiles(command.files, places)
  const [program, ...args] = command.argv.map((arg) => fill(arg, places))
  const ended = await run(program, args, {
    cwd: command.cwd === 'tree' ? places.tree : places.tmp,
    env: environment(command.env, places),
    stdin: command.stdin === undefined ? undefined : fill(command.stdin, places),
    timeoutMs: job.timeoutMs,
    alone: job.alone,
    terminal,
  })
  endAll(job.alone)
  if (ended.kind !== 'exited') return ended
  const observed = (command.observe ?? []).map((name) => [name, observeFile(name, places)])
  return { kind: 'exited', body: { ...ended.body, files: Object.fromEntries(observed) } }
}

function run(program, args, options) {
  return new Promise((resolve) => {
    const { cwd, env, stdin, terminal } = options
    // What there is to read comes through a pipe, also on a terminal.
    const input = terminal !== undefined && stdin === undefined ? terminal.stdio[0] : 'pipe'
    const stdio = [input, terminal?.stdio[1] ?? 'pipe', terminal?.stdio[2] ?? 'pipe']
    const child = spawn(program, args, { cwd, env, stdio, detached: true })
    track(child)
    terminal?.handedOver()
    const outputs = terminal ?? child
    const streams = { stdout: [], stderr: [] }
    const end = (kind, body) => {
      clearTimeout(timer)
      endAll(options.alone)
      resolve({ kind, body })
    }
    const timer = setTimeout(() => end('timeout', {}), options.timeoutMs)
    for (const name of ['stdout', 'stderr']) {
      let bytes = 0
      outputs[name].on('data', (chunk) => {
        bytes += chunk.length
        if (bytes > STREAM_BYTES) end('limit', { limit: 'output' })
        else streams[name].push(chunk)
      })
    }
    child.stdin?.on('error', () => {}) // A program may end without reading its input.
    child.stdin?.end(stdin ?? '')
    child.on('error', (error) =>
      end('unreachable', {
        error: { $t: 'error', name: 'Error', message: error.message, classes: ['Error'], code: error.code },
      }),
    )
    child.on('exit', () => setTimeout(() => endAll(options.alone, terminal?.pid), LINGER_MS).unref())
    child.on('close', async (code, signal) => {
      await terminal?.ended
      const stdout = streamText(Buffer.concat(streams.stdout))
      const stderr = streamText(Buffer.concat(streams.stderr))
      end('exited', { code, signal, stdout, stderr })
    })
  })
}

/** Text where the bytes are UTF-8, the bytes otherwise. */
function streamText(bytes) {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { base64: bytes.toString('base64') }
  }
}

/** The state of a path below {tmp}, or of `{tree}/…`, without following any link. */
function observeFile(name, places) {
  const filled = fill(name, places)
  const root = name.startsWith('{tree}') ? places.tree : places.tmp
  const target = path.resolve(root, filled)
  if (target !== root && !target.startsWith(root + path.sep)) return { kind: 'other' }
  const parts = path
    .relative(root, target)
    .split(path.sep)
    .filter((part) => part !== '')
  let at = root
  try {
    for (const [index, part] of parts.entries()) {
      at = path.join(at, part)
      const stat = fs.lstatSync(at)
      if (index < parts.length - 1 && !stat.isDirectory())
        return stat.isSymbolicLink() ? { kind: 'other' } : { kind: 'absent' }
    }
    return readState(at)
  } catch (error) {
    return error.code === 'ENOENT' || error.code === 'ENOTDIR' ? { kind: 'absent' } : { kind: 'other' }
  }
}

function readState(at) {
  const stat = fs.lstatSync(at)
  if (stat.isSymbolicLink()) return { kind: 'link', target: fs.readlinkSync(at, 'buffer').toString() }
  if (stat.isDirectory()) {
    const entries = fs.readdirSync(at).sort()
    return entries.length > DIRECTORY_ENTRIES ? { kind: 'other' } : { kind: 'directory', entries }
  }
  if (!stat.isFile() || stat.size > FILE_BYTES) return { kind: 'other' }
  return { kind: 'file', content: streamText(fs.readFileSync(at)), mode: stat.mode & 0o777 }
}

module.exports = { runCommand }
