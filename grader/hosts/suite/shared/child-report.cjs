'use strict'
// A process in which code of the tree runs, and what it reports to its parent: lines over a pipe of its own that begin with
// a nonce of its own. Whatever else comes over that pipe was written by somebody who was not meant to.
const { spawn } = require('node:child_process')
const { randomBytes } = require('node:crypto')

const CHANNEL = 3
/** A process that says more is ended, and nothing that it said counts. */
const MAX_BYTES = 1_000_000

/**
 * @param {object} child
 * @param {string[]} child.argv program and arguments.
 * @param {string} child.cwd
 * @param {(nonce: string) => string} child.input what it reads from its standard input before anything of the tree loads.
 * @param {(line: string) => void} onForged called with each line that does not begin with the nonce.
 * @returns {Promise<{said: string[], code: number | null}>} lines without the nonce, and the exit code; when the process has
 * ended and nobody can write to the pipe any more.
 */
function runChild({ argv: [program, ...args], cwd, input }, onForged) {
  const nonce = randomBytes(16).toString('hex')
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'inherit', 'inherit', 'pipe'] })
  const chunks = []
  let bytes = 0
  child.stdin.on('error', () => {}) // It may end before it reads.
  child.stdin.end(input(nonce))
  child.stdio[CHANNEL].on('data', (chunk) => {
    bytes += chunk.length
    if (bytes <= MAX_BYTES) return void chunks.push(chunk)
    child.stdio[CHANNEL].destroy()
    child.kill('SIGKILL')
  })
  return new Promise((resolve) => {
    child.on('error', () => resolve({ said: [], code: null }))
    child.on('close', (code) => {
      if (bytes > MAX_BYTES) return resolve({ said: [], code: null })
      const lines = Buffer.concat(chunks).toString('utf8').split('\n').slice(0, -1)
      const isOurs = (line) => line.startsWith(`${nonce} `)
      lines.filter((line) => !isOurs(line)).forEach(onForged)
      resolve({ said: lines.filter(isOurs).map((line) => line.slice(nonce.length + 1)), code })
    })
  })
}

/**
 * What a process reported in JSON: a record for each test, and last how many there were.
 * @returns {{status: string}[]} none where it did not come to its end, or ended otherwise than its results would have it: it
 * is no better for what it said before.
 */
function wholeReport({ said, code }) {
  const records = said.map(parse)
  const last = records.pop()
  const isWhole =
    last?.end === records.length && records.every((record) => typeof record?.status === 'string')
  const isFailure = records.some((record) => record?.status === 'failed')
  return isWhole && code === (isFailure ? 1 : 0) ? records : []
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

module.exports = { runChild, wholeReport }
