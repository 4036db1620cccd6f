'use strict'
// Ending what a check started. In a box every process of this user but the host and its wrapper belongs to the check
// (`alone`); elsewhere only the process groups that were started here are known to.
const fs = require('node:fs')
const groups = new Set()

/** Remembers the process group of a child that was spawned detached. */
function track(child) {
  if (child.pid !== undefined) groups.add(child.pid)
}

/**
 * Kills everything until nothing is left (a process can be born between two looks, so: look again).
 * @param spared a process of ours that has to end by itself.
 */
function endAll(alone, spared) {
  for (const group of groups) kill(-group)
  groups.clear()
  if (!alone) return
  for (let look = 0; look < 100; look += 1) {
    const others = othersOfThisUser().filter((pid) => pid !== spared)
    if (others.length === 0) return
    for (const pid of others) kill(pid)
  }
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

function othersOfThisUser() {
  const uid = process.getuid()
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!(pid > 1) || pid === process.pid || pid === process.ppid) return false
      try {
        if (fs.statSync(`/proc/${pid}`).uid !== uid) return false
        const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
        return stat[stat.lastIndexOf(')') + 2] !== 'Z'
      } catch {
        return false
      }
    })
}

module.exports = { track, endAll }
