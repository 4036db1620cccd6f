'use strict'
// The parent of a suite of node:test. Nothing of the tree runs in this process: each sealed file gets a process of its
// own, which reports over a pipe of its own with a nonce of its own. What a file reported counts when it came to its end
// and its process ended as such a report says; otherwise none of it does.
const { spawn } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { openReport } = require('../shared/report.cjs')

const CHILD = path.join(__dirname, 'child.cjs')
const { tree, files, reportFd, nonce } = JSON.parse(fs.readFileSync(0, 'utf8'))
const report = openReport(reportFd, nonce)

void main()

async function main() {
  // Before that, node:test cannot run a file in the process that asks for it.
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 8)) {
    return report.unavailable(`Node.js ${process.versions.node}; at least 22.8 is needed`)
  }
  for (const file of files) {
    const { records, forged } = await runFile(file)
    forged.forEach(report.forged)
    for (const { test, status } of records) {
      if (status === 'failed') process.exitCode = 1
      report.test(test, status)
    }
  }
  report.end()
}

/** @returns {Promise<{records: {test: string, status: string}[], forged: string[]}>} */
function runFile(file) {
  const own = randomBytes(16).toString('hex')
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--enable-source-maps', CHILD], {
      cwd: tree,
      stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
    })
    let text = ''
    child.stdin.on('error', () => {}) // It may end before it reads.
    child.stdin.end(JSON.stringify({ tree, file, nonce: own }))
    child.stdio[3].setEncoding('utf8').on('data', (chunk) => (text += chunk))
    child.on('close', (code) => resolve(readFile(text, own, code)))
  })
}

function readFile(text, own, code) {
  const lines = text.split('\n').slice(0, -1)
  const isOurs = (line) => line.startsWith(`${own} `)
  const records = lines.filter(isOurs).map((line) => JSON.parse(line.slice(own.length + 1)))
  const last = records.pop()
  const isFailure = records.some(({ status }) => status === 'failed')
  const isWhole = last?.end === records.length && code === (isFailure ? 1 : 0)
  return { records: isWhole ? records : [], forged: lines.filter((line) => !isOurs(line)) }
}
