'use strict'
// One sealed file of node:test. The product shares this process, so what is needed later is captured here, before the
// file loads, and what tests assert with is frozen.
const assert = require('node:assert')
const { readFileSync, writeSync, closeSync, openSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const path = require('node:path')
const test = require('node:test')
const { apply } = Reflect
const { stringify } = JSON
const bufferFrom = Buffer.from
const { reallyExit } = process
const runtime = process

const REPORT = 3
const ENTRY = path.join(__dirname, 'entry.mjs')
const { tree, file, nonce } = JSON.parse(readFileSync(0, 'utf8'))
closeSync(0)
openSync('/dev/null', 'r')
for (const api of [assert, assert.strict, assert.AssertionError, test, test.mock]) Object.freeze(api)
syncBuiltinESMExports()
process.argv = [process.execPath, path.join(tree, file)]
process.execArgv = []
const leave = (code) => apply(reallyExit, runtime, [code])

/** What the entry is given, once. */
module.exports.loading = {
  take() {
    delete this.take
    delete require.cache[__filename]
    return { file: path.join(tree, file), failed: () => leave(1) }
  },
}

void main()

async function main() {
  const names = []
  let count = 0
  let isFailure = false
  const say = (record) => {
    const bytes = bufferFrom(nonce + ' ' + stringify(record) + '\n', 'utf8')
    for (let at = 0; at < bytes.length;) at += writeSync(REPORT, bytes, at)
  }
  try {
    for await (const { type, data } of test.run({ files: [ENTRY], isolation: 'none' })) {
      if (type === 'test:start') {
        names.length = data.nesting
        names[data.nesting] = data.name
      }
      if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue
      names.length = data.nesting
      const status = statusOf(type, data)
      isFailure ||= status === 'failed'
      count += 1
      say({ test: [file, ...names, data.name].join(' > '), status })
    }
  } catch {
    leave(1)
  }
  say({ end: count })
  leave(isFailure ? 1 : 0)
}

function statusOf(type, { skip, todo }) {
  if (skip !== undefined && skip !== false) return 'skipped'
  if (todo !== undefined && todo !== false) return 'todo'
  return type === 'test:pass' ? 'passed' : 'failed'
}
