'use strict'
// The one way out: frames `<nonce> <kind> <json>` on descriptor 3, written synchronously. The nonce is known to this
// file and the engine; a line without it is a finding.
const { writeSync } = require('node:fs')
const { apply, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
const bufferFrom = Buffer.from
const byteLength = getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'byteLength').get
const { wait } = Atomics
const sleeper = new Int32Array(new SharedArrayBuffer(4))
const { reallyExit } = process
const runtime = process

const CHANNEL = 3
const LOST = 96

/** Ends the process at once: no exit listener of the product, no open handle. */
function leave(code) {
  apply(reallyExit, runtime, [code])
}

/** @returns a function that writes one frame; `json` is text already. */
function openChannel(nonce) {
  return (kind, json) => {
    const bytes = bufferFrom(nonce + ' ' + kind + ' ' + json + '\n', 'utf8')
    const length = apply(byteLength, bytes, [])
    for (let at = 0; at < length;) {
      try {
        at += writeSync(CHANNEL, bytes, at, length - at)
      } catch (error) {
        if (error.code !== 'EAGAIN') leave(LOST)
        wait(sleeper, 0, 0, 5)
      }
    }
  }
}

module.exports = { openChannel, leave }
