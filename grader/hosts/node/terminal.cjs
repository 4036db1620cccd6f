'use strict'
// Terminals for a product, opened by `terminal.pl`, since Node.js cannot open one.
const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const PROGRAM = path.join(__dirname, '..', 'terminal.pl')
const FLAGS = fs.constants.O_RDWR | fs.constants.O_NOCTTY

/**
 * Terminals that throw away what is written to them. Nothing of them stays in this process: whatever it has open, the
 * product would find in its own event loop.
 * @returns {string[]} their names: of input and output, of errors.
 */
function drainedTerminals() {
  const { stdout } = spawnSync('perl', [PROGRAM, 'drain'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  })
  return namesIn(stdout)
}

/**
 * Terminals for one program.
 * @returns {Promise<{stdio: number[], handedOver: () => void, pid: number, stdout: object, stderr: object, ended: Promise<void>}>}
 * descriptors for the program; what to call once it has them; and where what it writes comes out.
 */
async function openTerminals() {
  // In no group of its own: it has to outlive the program until all is read.
  const copier = spawn('perl', [PROGRAM, 'copy'], { stdio: ['pipe', 'pipe', 'pipe'] })
  copier.stdin.on('error', () => {})
  const ended = new Promise((resolve) => copier.on('close', resolve))
  // Not a byte more comes until they are handed over.
  const first = await new Promise((resolve, reject) => {
    copier.stdout.once('data', (bytes) => resolve(bytes.toString('utf8')))
    copier.on('error', reject).on('exit', () => reject(new Error('no terminal')))
  })
  const [output, errors] = namesIn(first).map((name) => fs.openSync(name, FLAGS))
  return {
    stdio: [output, output, errors],
    handedOver: () => {
      copier.stdin.end()
      fs.closeSync(output)
      fs.closeSync(errors)
    },
    pid: copier.pid,
    stdout: copier.stdout,
    stderr: copier.stderr,
    ended,
  }
}

function namesIn(line) {
  const names = line.trim().split(' ')
  if (names.length !== 2) throw new Error('no terminals could be opened')
  return names
}

module.exports = { drainedTerminals, openTerminals }
