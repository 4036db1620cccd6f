'use strict'
// A suite: a test runner of ours from start to end, over sealed files in a copy of the tree. Nothing of the tree runs in
// this process. The report comes over a descriptor of its own and is handed on as it is; it counts as read when
// everything that the run started has ended.
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { endAll, track } = require('./processes.cjs')
const { environment } = require('./places.cjs')

const REPORT_BYTES = 2_000_000
const REPORT = 3

/** @returns {Promise<{kind: string, body: object}>} a frame. */
function runSuite(job, places) {
  const { argv, env, cwd, stdin } = job.suite
  const [program, ...args] = argv
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: environment(env, places),
      // What tests print goes where a product's prints go.
      stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
      detached: true,
    })
    track(child)
    const report = []
    let bytes = 0
    const end = (kind, body) => {
      clearTimeout(timer)
      endAll(job.alone)
      resolve({ kind, body })
    }
    const timer = setTimeout(() => end('timeout', {}), job.timeoutMs)
    child.stdio[REPORT].on('data', (chunk) => {
      bytes += chunk.length
      if (bytes > REPORT_BYTES) end('limit', { limit: 'output' })
      else report.push(chunk)
    })
    child.stdin.on('error', () => {}) // A runner may end without reading its input.
    child.stdin.end(stdin ?? '')
    child.on('error', (error) =>
      end('unreachable', {
        error: { $t: 'error', name: 'SuiteRunnerMissing', message: error.message, classes: ['Error'] },
      }),
    )
    child.on('exit', () => endAll(job.alone))
    child.on('close', (code, signal) => {
      endAll(job.alone)
      const rewritten = job.sealed.filter(
        (file) => !isSame(path.join(job.tree, file), path.join(places.tree, file)),
      )
      end('returned', {
        value: { report: Buffer.concat(report).toString('base64'), code, signal, rewritten },
      })
    })
  })
}

/** Whether a sealed file is still what it was. Its folders may have been replaced by links: those are followed to another. */
function isSame(before, after) {
  try {
    return fs.lstatSync(after).isFile() && fs.readFileSync(before).equals(fs.readFileSync(after))
  } catch {
    return false
  }
}

module.exports = { runSuite }
