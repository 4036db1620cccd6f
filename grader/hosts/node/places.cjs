'use strict'
// Where things stand: the tree, a folder of the check's own, and what is laid into it before the product starts.
const fs = require('node:fs')
const path = require('node:path')
const { homeOf } = require('./surroundings.cjs')

/** Makes the folders of one probe below `root` and says where they are. */
function prepare(job) {
  const { root } = job
  const varied = job.varied ?? {}
  const own = homeOf(root, varied)
  const tmp = path.join(own, 'tmp')
  // The folder of a scenario's own is empty; one that it merely stands in need not be.
  const isApart = varied.workdir === 'in use' && job.mechanism === 'scenario'
  const places = {
    root,
    varied,
    own,
    tmp,
    home: path.join(own, 'home'),
    set: path.join(root, 'set'),
    cwd: isApart ? path.join(own, 'work') : tmp,
  }
  for (const folder of [tmp, places.home, places.set, places.cwd]) fs.mkdirSync(folder, { recursive: true })
  places.tree = job.copyTo ?? job.tree
  linkInstalled(job, root)
  for (const [name, base64] of Object.entries(job.files)) {
    const file = path.join(places.set, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, Buffer.from(base64, 'base64'))
  }
  return places
}

/** What is installed beside the tree is found from the check's files, and beside a copy. */
function linkInstalled({ tree, copyTo }, root) {
  const installed = path.join(path.dirname(tree), 'node_modules')
  if (!fs.existsSync(installed)) return
  const folders = new Set([root, copyTo === undefined ? root : path.dirname(copyTo)])
  for (const folder of folders) {
    fs.mkdirSync(folder, { recursive: true })
    fs.symlinkSync(installed, path.join(folder, 'node_modules'))
  }
}

/** Gives a run its own copy of the tree, where it is to have one. Whether it fits is the tree's doing. */
function copyTree({ tree, copyTo }) {
  if (copyTo === undefined) return
  // With a filter Node.js copies file by file and says ENOSPC; without one it says EIO for everything.
  fs.cpSync(tree, copyTo, { recursive: true, verbatimSymlinks: true, filter: () => true })
}

/** Whether there was no room for something. */
function isFull(error) {
  return error.code === 'ENOSPC' || error.code === 'EDQUOT'
}

/** `{tree}` and `{tmp}` in a text. */
function fill(text, places) {
  return text.replaceAll('{tree}', places.tree).replaceAll('{tmp}', places.tmp)
}

/** The variables that this process was given for the product: none of its own. */
const INHERITED = [
  ...['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_CTYPE', 'TZ'],
  ...['NODE_ENV', 'CI', 'TERM', 'SHELL', 'USER', 'LOGNAME', 'EDITOR'],
  ...['LD_PRELOAD', 'CLOCK_AHEAD_S'],
]

/** What a product's process starts from, and what the check adds. */
function environment(added, places) {
  const base = Object.fromEntries(
    INHERITED.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]),
  )
  const filled = Object.entries(added ?? {}).map(([name, value]) => [name, fill(value, places)])
  return { ...base, ...Object.fromEntries(filled) }
}

/** Lays the check's files into its folder. */
function layFiles(files, places) {
  for (const [name, content] of Object.entries(files ?? {})) {
    const file = path.join(places.tmp, fill(name, places))
    if (!file.startsWith(places.tmp + path.sep)) throw new Error(`a file outside {tmp}: ${name}`)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, fill(content, places))
  }
}

module.exports = { prepare, copyTree, isFull, fill, environment, layFiles }
