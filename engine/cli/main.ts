#!/usr/bin/env node
import { runCommandLine } from './command-line.ts'

process.exitCode = await runCommandLine(process.argv)
// A keep-alive socket to the engine must not keep us.
process.exit()
