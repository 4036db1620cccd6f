'use strict'
// The report of a suite: for each test that ended a line of a nonce and JSON, and last how many there were. Written
// synchronously, so that what was reported before a crash is there.
const { writeSync } = require('node:fs')
const { wait } = Atomics
const sleeper = new Int32Array(new SharedArrayBuffer(4))

const FORGED_CHARS = 200

/**
 * @returns `test(id, status)` for each test, `end()` for the last line, `unavailable(why)` instead of both; `forged(line)`
 * passes on what somebody else wrote, without the nonce: whoever reads the report tells it by that.
 */
function openReport(descriptor, nonce) {
  let count = 0
  const write = (record) => writeLine(descriptor, `${nonce} ${JSON.stringify(record)}\n`)
  return {
    test(id, status) {
      count += 1
      write({ test: id, status })
    },
    end() {
      write({ end: count })
    },
    unavailable(why) {
      write({ unavailable: why })
    },
    forged(line) {
      writeLine(descriptor, `${JSON.stringify(line.slice(0, FORGED_CHARS))}\n`)
    },
  }
}

function writeLine(descriptor, line) {
  const bytes = Buffer.from(line)
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      wait(sleeper, 0, 0, 5)
    }
  }
}

module.exports = { openReport }
