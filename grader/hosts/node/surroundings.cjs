'use strict'
// What a run's surroundings have that the plain ones have not: variables, folders, the working directory, the umask.
const fs = require('node:fs')
const { setPriority } = require('node:os')
const path = require('node:path')
const { apply } = Reflect
const { hrtime } = process
const monotonicNs = hrtime.bigint

/** Where HOME and TMPDIR stand when they are not short: nothing that a shell would read as more than a name. */
const LONG = path.join('Eigene Dateien', 'données', '日本語', 'a', 'b', 'c')
/** What lies in a working directory that is in use. */
const FILES = { '.notes': 'to do\n', '.cache/seen': '' }

/** The folder below `root` in which home and tmp stand. */
function homeOf(root, varied) {
  return varied.folders === 'long' ? path.join(root, LONG) : root
}

/** Lays what a working directory in use has into one. Names that no shell expands, so a check's own files stay alone. */
function use(folder) {
  for (const [name, content] of Object.entries(FILES)) {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    if (!fs.existsSync(file)) fs.writeFileSync(file, content)
  }
}

/** Leaves out variables that many machines do not set, but for what is asked for by another dimension. */
function unset({ variables, timeZone, language }) {
  delete process.env.TMPDIR
  delete process.env.LC_CTYPE
  if (variables === 'C') process.env.LC_CTYPE = 'C'
  if (timeZone === undefined) delete process.env.TZ
  if (language === undefined) delete process.env.LANG
}

/** Sets what belongs to the process. Last before the product starts: files of ours are made by then. */
function enter(varied, places) {
  const { nodeEnv, ci, terminal, umask } = varied
  process.env.HOME = places.home
  process.env.TMPDIR = places.tmp
  if (nodeEnv !== undefined) process.env.NODE_ENV = nodeEnv
  if (ci !== undefined) process.env.CI = ci
  if (terminal !== undefined) {
    Object.assign(process.env, {
      TERM: terminal,
      SHELL: '/bin/sh',
      USER: 'dev',
      LOGNAME: 'dev',
      EDITOR: 'vi',
    })
  }
  if (varied.variables !== undefined) unset(varied)
  if (varied.workdir === 'in use') use(places.cwd)
  if (umask !== undefined) process.umask(parseInt(umask, 8))
}

/** What no kernel takes: by this the library that shifts clocks is told to let them leap (`images/clock.c`). */
const LEAP_PRIORITY = 19

let leaptNs = 0n

/** Makes this process older, by all clocks. Where the image has no such library its surroundings never ask for it. */
function grow(seconds) {
  const ns = BigInt(seconds) * 1_000_000_000n
  try {
    setPriority(-seconds, LEAP_PRIORITY)
    leaptNs += ns
  } catch {
    // It stays as young as it is.
  }
}

/** What was measured goes on, without leaps. */
function nowNs() {
  return apply(monotonicNs, hrtime, []) - leaptNs
}

module.exports = { homeOf, enter, grow, nowNs }
