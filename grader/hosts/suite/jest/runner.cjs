'use strict'
// Runs the sealed files with jest, each in a worker process of its own, and reports what jest knows when all are over.
// The report's descriptor is open in this process alone: it loads no code of the tree, and Node.js closes the descriptor
// in children.
const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')
const { findInstalled } = require('../shared/installed.cjs')
const { openReport } = require('../shared/report.cjs')

/** Since when a single file, too, can be made to run in a process of its own. */
const OLDEST = 29
const TEST_TIMEOUT_MS = 10_000
/** Jest replaces a worker that uses more memory than this when its file is over: always. 1 would mean all memory. */
const WORKER_IDLE_BYTES = 2

const PRESETS = {
  '@babel/preset-env': { targets: { node: 'current' } },
  '@babel/preset-react': { runtime: 'automatic' },
  '@babel/preset-typescript': {},
}

const { tree, tmp, files, reportFd, nonce } = JSON.parse(fs.readFileSync(0, 'utf8'))

void main()

async function main() {
  const report = openReport(reportFd, nonce)
  const entry = findInstalled(tree, 'jest', OLDEST)
  if (entry === undefined) return report.unavailable(`jest ${OLDEST} or newer is not installed`)
  const { runCLI } = require(entry)
  const { results } = await runCLI(jestArguments(createRequire(entry)), [tree])
  let isFailure = false
  for (const { testFilePath, testResults } of results.testResults) {
    const file = path.relative(tree, testFilePath)
    for (const result of testResults) {
      const status = statusOf(result)
      isFailure ||= status === 'failed'
      report.test([file, ...result.ancestorTitles, result.title].join(' > '), status)
    }
  }
  // Jest does not call a run with a failure a success, save where a test passed at a second try.
  if (!results.success || results.numFailedTests === 0) report.end()
  process.exit(isFailure ? 1 : 0)
}

function jestArguments(requireByJest) {
  return {
    $0: 'jest',
    _: files.map((file) => path.join(tree, file)),
    runTestsByPath: true,
    config: JSON.stringify(jestConfig(requireByJest)),
    ci: true,
    silent: true,
    coverage: false,
    watchman: false,
    workerThreads: false,
    maxWorkers: 1,
    workerIdleMemoryLimit: WORKER_IDLE_BYTES,
    reporters: [],
  }
}

/** Everything that a configuration in the tree could say, said by us; none is looked for. */
function jestConfig(requireByJest) {
  return {
    rootDir: tree,
    roots: [tree],
    testMatch: ['**/*'],
    testPathIgnorePatterns: [],
    testTimeout: TEST_TIMEOUT_MS,
    cacheDirectory: path.join(tmp, 'jest'),
    // By absolute path: jest would look for these names from the tree on.
    testEnvironment: ofJest(requireByJest, 'jest-environment-node'),
    testRunner: ofJest(requireByJest, 'jest-circus/runner'),
    runner: ofJest(requireByJest, 'jest-runner'),
    transform: {
      '\\.[cm]?[jt]sx?$': [path.join(__dirname, 'transform.cjs'), transformSettings(requireByJest)],
    },
    setupFilesAfterEnv: [path.join(__dirname, 'setup.cjs')],
    moduleFileExtensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'json', 'node'],
    extensionsToTreatAsEsm: isModulePackage() ? ['.jsx', '.ts', '.tsx', '.mts'] : ['.mts'],
  }
}

/** Babel with those presets that base depends on, and TypeScript where no preset knows types. */
function transformSettings(requireByJest) {
  const found = Object.entries(PRESETS).flatMap(([name, options]) => {
    const file = findInstalled(tree, name)
    return file === undefined ? [] : [{ name, preset: [file, options] }]
  })
  const has = (wanted) => found.some(({ name }) => name === wanted)
  return {
    babelJest: ofJest(requireByJest, 'babel-jest'),
    typescript: findInstalled(tree, 'typescript'),
    presets: found.map(({ preset }) => preset),
    isTyped: has('@babel/preset-typescript'),
    isLowered: has('@babel/preset-env'),
  }
}

/** A package that jest depends on, wherever the installation has put it. */
function ofJest(requireByJest, name) {
  const requireByCore = createRequire(requireByJest.resolve('@jest/core'))
  try {
    return requireByCore.resolve(name)
  } catch {
    return createRequire(requireByCore.resolve('jest-config')).resolve(name)
  }
}

function isModulePackage() {
  try {
    return JSON.parse(fs.readFileSync(path.join(tree, 'package.json'), 'utf8')).type === 'module'
  } catch {
    return false
  }
}

function statusOf({ status, failing, invocations }) {
  if (failing === true && status === 'passed') return 'xfailed'
  if (failing === true && status === 'failed') return 'xpassed'
  // What passes at a second try failed at its first.
  if (status === 'passed') return invocations > 1 ? 'failed' : 'passed'
  if (status === 'failed' || status === 'todo') return status
  return 'skipped'
}
