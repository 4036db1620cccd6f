'use strict'
// One sealed file under mocha, through its interface for programs: no configuration is looked for. The file and the
// product run in this process, so what is needed to report is captured before they load; what they can do all the same
// is why a suite's evidence is weaker than a scenario's.
const fs = require('node:fs')
const { pathToFileURL } = require('node:url')
const { lockAssert, lockMethods } = require('../shared/lock.cjs')

const CHANNEL = 3
/** The classes that say what a test came to. */
const RUNNING = ['Runner', 'Runnable', 'Test', 'Hook', 'Suite']
const TEST_TIMEOUT_MS = 10_000
const { reallyExit } = process
const runtime = process
const { apply } = Reflect
const { stringify } = JSON
const { writeSync } = fs

const job = JSON.parse(fs.readFileSync(0, 'utf8'))
void main()

async function main() {
  const { default: Mocha } = await import(pathToFileURL(job.mocha).href)
  const emit = openChannel(job.nonce)
  const mocha = new Mocha({
    ui: interfaceOf(fs.readFileSync(job.file, 'utf8')),
    reporter: class {},
    retries: 0,
    timeout: TEST_TIMEOUT_MS,
  })
  mocha.addFile(job.file)
  lockAssert()
  for (const { prototype } of RUNNING.map((name) => Mocha[name])) lockMethods(prototype)
  hideRunner(job)
  await mocha.loadFilesAsync()
  let ended = 0
  let isFailure = false
  const tell = (test, status) => {
    // A hook that failed is no test. Those that it kept from running are missing.
    if (test.type !== 'test') return
    ended += 1
    isFailure ||= status === 'failed'
    emit('{"title":' + titleOf(test) + ',"status":"' + status + '"}')
  }
  const runner = mocha.run(() => {
    emit('{"end":' + ended + '}')
    apply(reallyExit, runtime, [isFailure ? 1 : 0])
  })
  // What passes at a second try failed at its first: a test may ask for retries, and does not get them.
  runner.on('pass', (test) => tell(test, test._currentRetry > 0 ? 'failed' : 'passed'))
  runner.on('fail', (test) => tell(test, 'failed'))
  runner.on('pending', (test) => tell(test, 'skipped'))
}

/** The words that a file is written in: `suite` and `test`, or `describe` and `it`. */
function interfaceOf(source) {
  return /\bsuite\s*\(/.test(source) && !/\bdescribe\s*\(/.test(source) ? 'tdd' : 'bdd'
}

/** The titles from the outermost on, as JSON. Only strings are given to `stringify`: it asks objects for their `toJSON`. */
function titleOf(test) {
  let titles = ''
  for (let at = test; at.parent !== undefined; at = at.parent) {
    titles = stringify('' + at.title) + (titles === '' ? '' : ',' + titles)
  }
  return '[' + titles + ']'
}

/** A product that asks for its command line finds the file, as under mocha's own. */
function hideRunner({ mocha, file }) {
  process.argv.splice(1, process.argv.length, mocha, file)
}

function openChannel(nonce) {
  return (json) => {
    writeSync(CHANNEL, nonce + ' ' + json + '\n')
  }
}
