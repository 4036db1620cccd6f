#!/usr/bin/env node
import module from 'node:module'
import { setFlagsFromString } from 'node:v8'

const LINGER_MS = 2000

if (Number.parseInt(process.versions.node) < 24) {
  process.stderr.write(
    `assay: expected Node.js 24 or newer, this is ${process.versions.node} [config/node]\n`,
  )
  process.exit(2)
}
// Before anything else is loaded: compiled code is kept between calls, which halves the time to start.
module.enableCompileCache()
// This process waits for boxes most of its time: a third less memory is worth more than a faster collector.
setFlagsFromString('--optimize-for-size')
const { runCommandLine } = await import('./command-line.ts')
process.exitCode = await runCommandLine(process.argv)
// A pipe takes what is written as fast as it is read: an exit before that would cut a long document off.
await Promise.all([process.stdout, process.stderr].map(flushed))
// Ends by itself, since idle sockets to the engine do not keep it: `process.exit()` waits for V8's compilers, and one of those may
// wait for a collection that only this thread could make. It is for what else would keep us.
setTimeout(() => process.exit(), LINGER_MS).unref()

/** Waits until everything is written, or nobody reads any longer. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once('error', () => resolve())
    stream.write('', () => resolve())
  })
}
