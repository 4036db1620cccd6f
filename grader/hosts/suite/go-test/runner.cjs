'use strict'
// Builds the tests of each sealed package and runs each test in a process of its own, so that one that ends its process
// takes no other with it. The binaries have a package testing that reports over a pipe, with a nonce; nothing is read
// from what they print. The report's descriptor is open in this process alone.
const { execFileSync, spawnSync } = require('node:child_process')
const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { runChild } = require('../shared/child-report.cjs')
const { openReport } = require('../shared/report.cjs')

const LINE = /^(passed|failed|skipped) ((?:[0-9a-f]{2})+)$/
/** Where the package testing says how a test ended; the same line since its first version. */
const REPORT_METHOD = /^func \(t \*T\) report\(\) \{$/m

const { tree, tmp, files, tests: listed, reportFd, nonce } = JSON.parse(fs.readFileSync(0, 'utf8'))

void main()

async function main() {
  const report = openReport(reportFd, nonce)
  const overlay = prepareOverlay()
  if (typeof overlay !== 'string') return report.unavailable(overlay.unavailable)
  let isFailure = false
  for (const [folder, tests] of testsByFolder()) {
    const binary = build(folder, overlay)
    for (const test of binary === undefined ? [] : tests) {
      for (const { name, status } of await runTest(binary, folder, test, report.forged)) {
        const id = `${folder === '.' ? '.' : `./${folder}`} ${name}`
        // A subtest that no row is about is a part of its test, which fails with it.
        if (name !== test && !listed.includes(id)) continue
        report.test(id, status)
        isFailure ||= status === 'failed'
      }
    }
  }
  report.end()
  process.exitCode = isFailure ? 1 : 0
}

/** The tests that sealed files state, by the folder of their package. */
function testsByFolder() {
  const folders = new Map()
  for (const file of files) {
    const source = fs.readFileSync(path.join(tree, file), 'utf8')
    const tests = [...source.matchAll(/^func (Test\w*)\(/gm)].map(([, name]) => name)
    const folder = path.dirname(file)
    folders.set(folder, [...(folders.get(folder) ?? []), ...tests])
  }
  return folders
}

/** @returns the path of a list of files to build with instead of Go's own, or why there is none. */
function prepareOverlay() {
  let root
  try {
    root = execFileSync('go', ['env', 'GOROOT'], { cwd: tmp, encoding: 'utf8' }).trim()
  } catch {
    return { unavailable: 'go is not installed' }
  }
  const testing = path.join(root, 'src', 'testing')
  const source = fs.readFileSync(path.join(testing, 'testing.go'), 'utf8')
  if (!REPORT_METHOD.test(source)) return { unavailable: 'this Go has another package testing' }
  const changed = path.join(tmp, 'testing.go')
  fs.writeFileSync(changed, source.replace(REPORT_METHOD, '$&\n\tt.reportToSuite()'))
  const overlay = path.join(tmp, 'overlay.json')
  const replaced = {
    [path.join(testing, 'testing.go')]: changed,
    [path.join(testing, 'report_to_suite.go')]: writeReporter(),
  }
  fs.writeFileSync(overlay, JSON.stringify({ Replace: replaced }))
  return overlay
}

/** What is in it has names of this run: a product that is compiled with it cannot name, and so not link to, any of it. */
function writeReporter() {
  const source = fs.readFileSync(path.join(__dirname, 'report.go'), 'utf8')
  const file = path.join(tmp, 'report.go')
  const suffix = randomBytes(16).toString('hex')
  fs.writeFileSync(file, source.replaceAll(/\b(?:suiteReport|suiteNonce|readSuiteNonce)\b/g, `$&${suffix}`))
  return file
}

/** @returns the binary with the tests of a package; undefined when it does not compile. */
function build(folder, overlay) {
  const binary = path.join(fs.mkdtempSync(path.join(tmp, 'package-')), 'package.test')
  // Without symbols: of names, only those of functions are left.
  const args = ['test', '-c', '-vet=off', '-ldflags=-s', '-overlay', overlay, '-o', binary, `./${folder}`]
  const { status } = spawnSync('go', args, { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] })
  return status === 0 && fs.existsSync(binary) ? binary : undefined
}

/** @returns what a test and its subtests came to. Only failures are believed of a process that did not end as they say. */
async function runTest(binary, folder, test, onForged) {
  const child = {
    argv: [binary, `-test.run=^${test}$`, '-test.paniconexit0'],
    cwd: path.join(tree, folder),
    input: (own) => own,
  }
  const { said, code } = await runChild(child, onForged)
  const results = said.flatMap((line) => {
    const [, status, name] = LINE.exec(line) ?? []
    if (status !== undefined) return [{ name: Buffer.from(name, 'hex').toString('utf8'), status }]
    onForged(line)
    return []
  })
  const last = results.at(-1)
  const isWhole = last?.name === test && code === (last.status === 'failed' ? 1 : 0)
  return isWhole ? results : results.filter(({ status }) => status === 'failed')
}
