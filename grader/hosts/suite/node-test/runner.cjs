'use strict'
// The parent of a suite of node:test. Nothing of the tree runs in this process: each sealed file gets a process of its
// own, which reports over a pipe of its own with a nonce of its own. What a file reported counts when it came to its end
// and its process ended as such a report says; otherwise none of it does.
const fs = require('node:fs')
const path = require('node:path')
const { runChild, wholeReport } = require('../shared/child-report.cjs')
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
    const child = {
      argv: [process.execPath, '--enable-source-maps', CHILD],
      cwd: tree,
      input: (own) => JSON.stringify({ tree, file, nonce: own }),
    }
    for (const { test, status } of wholeReport(await runChild(child, report.forged))) {
      if (status === 'failed') process.exitCode = 1
      report.test(test, status)
    }
  }
  report.end()
}
