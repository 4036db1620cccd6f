'use strict'
// Runs each sealed file with mocha in a process of its own and reports what that says. The report's descriptor is open
// in this process alone: no code of the tree or of a test is loaded here, and Node.js closes it in children.
const { spawn } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const { once } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { createInterface } = require('node:readline')
const { findInstalled } = require('../shared/installed.cjs')
const { openReport } = require('../shared/report.cjs')

/** Since when it loads modules for a program. */
const OLDEST = 8

const { tree, files, reportFd, nonce } = JSON.parse(fs.readFileSync(0, 'utf8'))

void main()

async function main() {
  const report = openReport(reportFd, nonce)
  const mocha = findInstalled(tree, 'mocha', OLDEST)
  if (mocha === undefined) return report.unavailable(`mocha ${OLDEST} or newer is not installed`)
  let isFailure = false
  for (const file of files) {
    for (const { title, status } of await runFile(mocha, file, report.forged)) {
      report.test([file, ...title].join(' > '), status)
      isFailure ||= status === 'failed'
    }
  }
  report.end()
  process.exitCode = isFailure ? 1 : 0
}

/**
 * @returns what each test of a file came to. A file whose process did not say that it was through, or ended otherwise
 * than its results would have it, is no better for what it said before: none of it counts.
 */
async function runFile(mocha, file, onForged) {
  const own = randomBytes(16).toString('hex')
  const child = spawn(process.execPath, [path.join(__dirname, 'child.cjs')], {
    cwd: tree,
    stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify({ mocha, file: path.join(tree, file), nonce: own }))
  const results = []
  let isOver = false
  const lines = createInterface({ input: child.stdio[3], crlfDelay: Infinity })
  lines.on('line', (line) => {
    const said = readLine(line, own)
    if (said === undefined || isOver) onForged(line)
    else if (said.end === undefined) results.push(said)
    else isOver = said.end === results.length
  })
  const [[code]] = await Promise.all([once(child, 'exit'), once(lines, 'close')])
  const isFailure = results.some(({ status }) => status === 'failed')
  return isOver && code === (isFailure ? 1 : 0) ? results : []
}

function readLine(line, nonce) {
  if (!line.startsWith(`${nonce} `)) return undefined
  try {
    return JSON.parse(line.slice(nonce.length + 1))
  } catch {
    return undefined
  }
}
