'use strict'
// Runs each sealed file with mocha in a process of its own and reports what that says. The report's descriptor is open
// in this process alone: no code of the tree or of a test is loaded here, and Node.js closes it in children.
const fs = require('node:fs')
const path = require('node:path')
const { runChild, wholeReport } = require('../shared/child-report.cjs')
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
    const child = {
      argv: [process.execPath, path.join(__dirname, 'child.cjs')],
      cwd: tree,
      input: (own) => JSON.stringify({ mocha, file: path.join(tree, file), nonce: own }),
    }
    for (const { title, status } of wholeReport(await runChild(child, report.forged))) {
      report.test([file, ...title].join(' > '), status)
      isFailure ||= status === 'failed'
    }
  }
  report.end()
  process.exitCode = isFailure ? 1 : 0
}
