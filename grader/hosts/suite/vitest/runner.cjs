'use strict'
// Runs the sealed files with vitest, each in a process of its own, and reports what vitest knows when all are over. The
// report's descriptor is open in this process alone: it loads no code of the tree (vite transforms its files here and
// runs none), and Node.js closes the descriptor in children.
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { findInstalled } = require('../shared/installed.cjs')
const { openReport } = require('../shared/report.cjs')

/** Since when files can run in processes of their own. */
const OLDEST = 1
const TEST_TIMEOUT_MS = 10_000

const { tree, tmp, files, reportFd, nonce } = JSON.parse(fs.readFileSync(0, 'utf8'))

void main()

async function main() {
  const report = openReport(reportFd, nonce)
  const entry = findInstalled(tree, 'vitest/node', OLDEST)
  if (entry === undefined) return report.unavailable(`vitest ${OLDEST} or newer is not installed`)
  const { startVitest } = await import(pathToFileURL(entry).href)
  const vitest = await startVitest('test', [], vitestOptions(), viteOptions())
  const seen = vitest.state.getFiles().filter(({ tasks }) => tasks.length > 0)
  const broken = vitest.state.getUnhandledErrors().map(fileOf)
  // An error that is no test's breaks the file that it came from: none of it counts. A process that ended took its file
  // with it and says no more, not even which; where no file is gone, it may have been any.
  const isLost = files.some((file) => !seen.some((one) => nameOf(one) === file))
  const isWhole = (file) => !broken.includes(nameOf(file)) && (isLost || !broken.includes(undefined))
  const results = seen.filter(isWhole).flatMap((file) => resultsOf(file.tasks, [nameOf(file)]))
  for (const { test, status } of results) report.test(test, status)
  const isFailure = results.some(({ status }) => status === 'failed')
  // Vitest has set an exit code of its own: it does not call a run with a failure a success.
  if (!isFailure || process.exitCode === 1) report.end()
  await vitest.close()
  process.exit(isFailure ? 1 : 0)
}

/** Everything that a configuration in the tree could say, said by us; none is looked for. */
function vitestOptions() {
  return {
    config: false,
    root: tree,
    include: files.map(literalGlob),
    exclude: [],
    watch: false,
    pool: 'forks',
    isolate: true,
    fileParallelism: false,
    // Globals only for files that take nothing from the package.
    globals: files.some((file) => !/['"]vitest['"]/.test(fs.readFileSync(path.join(tree, file), 'utf8'))),
    environment: 'node',
    setupFiles: [path.join(__dirname, 'setup.mjs')],
    globalSetup: [],
    retry: 0,
    bail: 0,
    // Who asks for one test alone gets it: the others are then missing.
    allowOnly: true,
    passWithNoTests: false,
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    update: false,
    coverage: { enabled: false },
    typecheck: { enabled: false },
    reporters: [{}],
  }
}

function viteOptions() {
  return {
    configFile: false,
    envDir: tmp,
    cacheDir: path.join(tmp, 'vite'),
    publicDir: false,
    css: { postcss: { plugins: [] } },
    plugins: [],
    logLevel: 'silent',
  }
}

function literalGlob(file) {
  return file.replace(/[\\*?[\]{}()!+@|$]/g, '\\$&')
}

function nameOf({ filepath }) {
  return path.relative(tree, filepath)
}

function resultsOf(tasks, titles) {
  return tasks.flatMap((task) => {
    const path = [...titles, task.name]
    if (task.type === 'suite') return resultsOf(task.tasks, path)
    const status = statusOf(task)
    return status === undefined ? [] : [{ test: path.join(' > '), status }]
  })
}

/** Undefined for a test that never came to its end. */
function statusOf({ mode, fails, result }) {
  if (mode === 'todo') return 'todo'
  if (mode === 'skip' || result?.state === 'skip') return 'skipped'
  if (result?.state === 'fail') return fails ? 'xpassed' : 'failed'
  if (result?.state !== 'pass') return undefined
  if (fails) return 'xfailed'
  // What passes at a second try failed at its first.
  return result.retryCount > 0 ? 'failed' : 'passed'
}

function fileOf(error) {
  const file = error?.VITEST_TEST_PATH
  return typeof file === 'string' ? path.relative(tree, file) : undefined
}
